import FoundationSupplement
import ManagedObjectModel

extension EntityLayout {
    /// Makes what is otherwise made when first asked for, which threads can't do at the same time.
    func prepare() {
        _ = defaultSlots
        _ = objectClass
    }

    /// The slots of a new object: the model's defaults.
    var defaultSlots: [SlotValue] {
        if let cachedDefaults { return unsafeDowncast(cachedDefaults, to: SlotTemplate.self).slots }
        let slots = kinds.map { kind -> SlotValue in
            guard case .attribute(let attribute) = kind else { return .null }
            return SlotValue(defaultOf: attribute)
        }
        cachedDefaults = SlotTemplate(slots)
        return slots
    }

    var emptySlots: [SlotValue] { Array(repeating: .null, count: count) }
}

/// A slot array as an object, so that a layout, which lies below objects in the layers, can hold one.
private final class SlotTemplate {
    let slots: [SlotValue]
    init(_ slots: [SlotValue]) { self.slots = slots }
}
