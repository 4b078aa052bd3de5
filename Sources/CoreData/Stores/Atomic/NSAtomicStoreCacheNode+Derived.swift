import FoundationSupplement
import ManagedObjectModel

extension NSDerivedAttributeDescription {
    /// Whether the value is the time of the object's last save, and not something about other values.
    var isTimeOfSave: Bool { derivationExpression?.description == "now()" }
}

extension NSAtomicStoreCacheNode {
    /// The value of an attribute. Derived ones are computed whenever they are asked for, from the nodes as they are.
    ///
    /// - Throws: an error for a derivation that can't be carried out.
    func attributeValue(_ attribute: NSAttributeDescription) throws -> Any? {
        guard let derived = attribute as? NSDerivedAttributeDescription, !derived.isTimeOfSave,
            let expression = derived.derivationExpression
        else { return value(forKey: attribute.name) }
        guard derivations.insert(attribute.name).inserted else {
            throw CocoaError.request(
                "the attribute '\(attribute.name)' of \(objectID.entity.name ?? "") is derived from itself")
        }
        defer { derivations.remove(attribute.name) }
        return try expression.evaluateThrowing(with: self)
    }

    /// The value of an attribute as rows have it.
    ///
    /// - Throws: 134060 for a value that is not of the attribute's type.
    func slotValue(_ attribute: NSAttributeDescription) throws -> SlotValue {
        let value = try attributeValue(attribute)
        do throws(SlotValue.Unacceptable) {
            return try SlotValue(value, for: attribute)
        } catch {
            throw CocoaError.request(
                "the cache node of \(objectID) has the value \(value ?? "nil") for '\(attribute.name)', which is no"
                    + " \(attribute.attributeType.displayName)")
        }
    }

    /// Notes the time of a save in the attributes that are derived from it.
    func noteSave(at date: Date) {
        guard objectID.layout.hasDerivedAttributes else { return }
        for case let derived as NSDerivedAttributeDescription in objectID.layout.properties where derived.isTimeOfSave {
            setTimeOfSave(date, derived)
        }
    }
}
