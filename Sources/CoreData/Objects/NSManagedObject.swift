import FoundationSupplement
import ManagedObjectModel

/// An object whose properties a model describes and a store keeps.
///
/// ```swift
/// let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
/// city.setValue("Reykjavík", forKey: "name")
/// city.setValue(iceland, forKey: "country")   // iceland's cities now contain it
/// try context.save()
/// ```
/// An object belongs to one context and is used on that context's queue.
open class NSManagedObject: NSObject, ThrowingKeyValueCoding, PredicateIdentity, NSFetchRequestResult,
    ManagedObjectCreation
{
    /// The object's identity. Temporary until the object is saved for the first time.
    public package(set) final var objectID: NSManagedObjectID {
        get {
            if let identity { return identity }
            let made = NSManagedObjectID(layout, primaryKey: primaryKey, space: space)
            identity = made
            return made
        }
        set {
            identity = newValue
            setKey(newValue.primaryKey, newValue.space)
        }
    }
    // The ID as an object, made when first asked for: most fetched objects are never asked.
    @exclusivity(unchecked) private final var identity: NSManagedObjectID?
    @exclusivity(unchecked) private(set) final var primaryKey: Int64
    @exclusivity(unchecked) private(set) final var space: ObjectIDSpace

    final func setKey(_ primaryKey: Int64, _ space: ObjectIDSpace) {
        self.primaryKey = primaryKey
        self.space = space
    }

    final var key: ObjectKey { ObjectKey(space: ObjectIdentifier(space), primaryKey: primaryKey) }
    /// The context that the object belongs to; nil for an object without one, and after a reset.
    public final var managedObjectContext: NSManagedObjectContext? { registry?.context }
    // What follows is read for every value. An object is confined to its context's queue, and no access here contains
    // another, so that checking it at run time would find nothing.
    @exclusivity(unchecked) final var registry: ObjectRegistry?
    final let layout: EntityLayout
    /// By slot of the layout; empty while the object is a fault.
    @exclusivity(unchecked) final var slots: [SlotValue]
    /// What the store had when it was last read or written; nil for an object never saved, and for a fault whose row
    /// was not read yet.
    @exclusivity(unchecked) final var row: Row?
    @exclusivity(unchecked) final var state: State

    struct State: OptionSet {
        let rawValue: UInt8
        init(rawValue: UInt8) { self.rawValue = rawValue }
        static let fault = State(rawValue: 1)
        static let inserted = State(rawValue: 2)
        static let updated = State(rawValue: 4)
        static let deleted = State(rawValue: 8)
        /// During `awakeFromFetch`, when what is set counts as no change.
        static let awaking = State(rawValue: 16)
    }

    /// Creates an object and inserts it into a context, or leaves it alone where `context` is nil.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if entity.isAbstract, context != nil {
            misuse("Cannot create instances of abstract entity \(entity.name ?? "")")
        }
        layout = entity.layout
        slots = layout.defaultSlots
        state = []
        primaryKey = NSManagedObjectID.nextTemporaryKey()
        space = .temporary
        super.init()
        context?.insert(self)
    }

    deinit {
        registry?.remove(self, key)
    }

    /// How the framework makes objects of a class it only knows at run time. Not for programs: a fetched object would
    /// be neither fetched nor inserted.
    public required convenience init(_frameworkOnly entity: NSEntityDescription) {
        self.init(entity: entity, insertInto: nil)
    }

    // MARK: State

    /// The object's entity.
    public final var entity: NSEntityDescription { layout.entity }
    /// Whether the object was inserted and not yet saved.
    public final var isInserted: Bool { state.contains(.inserted) }
    /// Whether the object was saved before and has unsaved changes.
    public final var isUpdated: Bool { state.contains(.updated) }
    /// Whether the object will be deleted by the next save.
    public final var isDeleted: Bool { state.contains(.deleted) }
    /// Whether the object has unsaved changes of any kind.
    public final var hasChanges: Bool { !state.isDisjoint(with: [.inserted, .updated, .deleted]) }
    /// Whether the object's values are not filled in yet. Reading any of them fills all.
    public final var isFault: Bool { state.contains(.fault) }
    /// 0 for a filled object, else 1.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Whether the row was found to be gone. Such an object counts as deleted, but there is nothing to delete.
    final var isInaccessible: Bool { isDeleted && !isFault && !isInserted && row == nil }

    // MARK: For subclasses

    /// Called once, when the object is inserted. Calls `super` first.
    open func awakeFromInsert() {}
    /// Called when the object's values were filled in from the store. What is set here counts as no change, and the other
    /// ends of relationships are not told.
    open func awakeFromFetch() {}
    /// Called when the object is about to be deleted.
    open func prepareForDeletion() {}
    /// Called before the object is saved, once at least.
    open func willSave() {}
    /// Called after the object was saved.
    open func didSave() {}
    /// Called before the object's values are let go.
    open func willTurnIntoFault() {}
    /// Called after the object's values were let go.
    open func didTurnIntoFault() {}

    // MARK: Validation

    /// Checks the object's values against the model before it is inserted. Subclasses call `super` first.
    ///
    /// - Throws: the one error, or `validationMultipleErrors` with all of them under `NSDetailedErrorsKey`.
    open func validateForInsert() throws { try Self.raise(validationErrors()) }

    /// Checks the object's values against the model before its changes are saved. Subclasses call `super` first.
    open func validateForUpdate() throws { try Self.raise(validationErrors()) }

    /// Checks that no relationship with the rule deny stands against the object's deletion. Subclasses call `super`
    /// first.
    open func validateForDelete() throws { try Self.raise(denials()) }

    // MARK: Key-value coding

    /// The value of a property: numbers and Booleans as `NSNumber`, decimals as `NSDecimalNumber`, then `String`,
    /// `Date`, `Data`, `UUID`, `URL`, `NSManagedObject`, `Set<NSManagedObject>` and `NSOrderedSet`.
    ///
    /// Fills a fault first. Costs a dictionary look-up for the key.
    open func value(forKey key: String) -> Any? {
        guard let slot = layout.slot(key) else { return unmodelledValue(key) }
        return foundationValue(slot)
    }

    /// Sets a property, and both ends of a relationship. Numbers may be any Swift or Foundation number in range.
    ///
    /// A value of the wrong type is a mistake of the program: debug builds stop with Apple's wording, release builds
    /// log it and leave the property as it was.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let slot = layout.slot(key) else {
            misuse(
                "[\(self) setValue:forUndefinedKey:]: the entity \(entity.name ?? "") is not key value coding-compliant for"
                    + " the key \"\(key)\".")
            return
        }
        setFoundationValue(value, slot)
    }

    /// The value of a property, as accessors of subclasses read it.
    open func primitiveValue(forKey key: String) -> Any? {
        layout.slot(key).flatMap { foundationValue($0) }
    }

    /// Sets a property without telling the other end of a relationship.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard let slot = layout.slot(key) else { return }
        if case .toOne = layout.kinds[slot] {
            setSlot(slot, (value as? NSManagedObject).map { .object($0) } ?? .null)
        } else {
            setFoundationValue(value, slot)
        }
    }

    /// The same as `value(forKey:)` and `setValue(_:forKey:)`.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// In predicates an object and its ID are the same.
    package final var predicateIdentity: AnyObject { objectID }

    package final func keyValue(forKey key: String) throws -> Any? {
        guard layout.slot(key) != nil || ["objectID", "entity", "self"].contains(key) else {
            throw CocoaError.request("keypath \(key) not found in entity \(entity.name ?? "")")
        }
        return value(forKey: key)
    }

    private func unmodelledValue(_ key: String) -> Any? {
        switch key {
        case "objectID": return objectID
        case "entity": return entity
        case "self": return self
        default:
            misuse(
                "[\(self) valueForUndefinedKey:]: the entity \(entity.name ?? "") is not key value coding-compliant for the"
                    + " key \"\(key)\".")
            return nil
        }
    }

    /// The unsaved values of the properties that differ from the store's.
    open func changedValues() -> [String: Any] {
        Dictionary(
            uniqueKeysWithValues: changedSlots.filter { !layout.properties[$0].isTransient }.map {
                (layout.properties[$0].name, foundationValue($0) ?? NSNull())
            })
    }

    /// The store's values as last read or written; nil for all keys. Values that are nil come as `NSNull`; an object that
    /// was never saved has none.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] {
        _ = slotValue(0)
        guard let row else { return [:] }
        var result: [String: Any] = [:]
        for key in keys ?? layout.properties.map(\.name) {
            guard let slot = layout.slot(key), !layout.properties[slot].isTransient else { continue }
            switch layout.kinds[slot] {
            case .attribute(let attribute):
                result[key] = row.values[slot].foundationValue(attribute.attributeType) ?? NSNull()
            case .toOne(let relationship):
                result[key] = object(at: row.values[slot], of: relationship) ?? NSNull()
            case .toMany(let relationship):
                let stored = managedObjectContext?.objects(of: relationship, source: self) ?? []
                result[key] = relationship.isOrdered ? NSOrderedSet(array: stored) : Set(stored)
            case .fetched: continue
            }
        }
        return result
    }

    // MARK: Slots

    /// The value in a slot; fills a fault first.
    package final func slotValue(_ slot: Int) -> SlotValue {
        if state.contains(.fault) { fire() }
        return slot < slots.count ? slots[slot] : .null
    }

    package final func setSlot(_ slot: Int, _ value: SlotValue) {
        if state.contains(.fault) { fire() }
        guard slot < slots.count else { return }
        slots[slot] = value
        managedObjectContext?.noteChange(of: self)
    }

    /// Fills a fault: from its row if that was read along, else from the store.
    private func fire() {
        if row == nil, let context = managedObjectContext {
            switch context.storedRow(of: self) {
            case .success(let found): row = found
            case .failure(let error):
                // Whether the row exists is unknown: the object stays a fault, and reads as nil meanwhile.
                SQLLog.warn("\(objectID) can't be read: \(error.localizedDescription)")
                return
            }
        }
        state.remove(.fault)
        guard let row else {
            // The row is gone. As with Apple's default, the object counts as deleted and its values are nil.
            slots = layout.emptySlots
            managedObjectContext?.noteInaccessible(self)
            return
        }
        slots = row.values
        state.insert(.awaking)
        awakeFromFetch()
        state.remove(.awaking)
    }

    /// What becomes of the object when its context is gone or forgets it: a fault that nothing can fill.
    final func orphan() {
        registry = nil
        slots = []
        row = nil
        state = .fault
    }

    /// Reads the ordered relationships that were given another order.
    final func loadReorderedRelationships() {
        for (slot, value) in slots.enumerated() {
            if case .toMany(let relation) = value, relation.isReordered { _ = toMany(slot) }
        }
    }

    // MARK: Changes

    /// Whether any property differs from what the store has. False for an object that was changed back.
    public final var hasPersistentChangedValues: Bool {
        isInserted || isDeleted || changedSlots.contains { !layout.properties[$0].isTransient }
    }

    /// The slots whose values differ from the store's.
    package final var changedSlots: [Int] {
        guard !isFault else { return [] }
        return slots.indices.filter { slot in
            if case .toMany(let relation) = slots[slot] { return relation.hasChanges }
            guard let row else { return !slots[slot].isSame(as: layout.defaultSlots[slot]) }
            return !slots[slot].isSame(as: row.values[slot])
        }
    }

    open override var description: String {
        let name = "<\(String(describing: type(of: self))): \(UInt(bitPattern: ObjectIdentifier(self).hashValue))>"
        let data = isFault ? "<fault>" : "{\(describedValues)}"
        return "\(name) (entity: \(entity.name ?? ""); id: \(objectID); data: \(data))"
    }

    private var describedValues: String {
        layout.properties.indices.map { slot in
            let value: String =
                switch slots[slot] {
                case .toMany(let relation):
                    relation.isLoaded ? "\(relation.objects.count) objects" : "<relationship fault>"
                case .object(let object): "\(object.objectID)"
                case .reference(let key, _): "<relationship fault p\(key)>"
                default: primitiveValue(forKey: layout.properties[slot].name).map { "\($0)" } ?? "nil"
                }
            return "\(layout.properties[slot].name) = \(value)"
        }.joined(separator: "; ")
    }
}

/// What makes `City(context: context)` and creation from a class possible without a `required` initialiser that every
/// subclass would have to repeat.
public protocol ManagedObjectCreation {}

extension ManagedObjectCreation where Self: NSManagedObject {
    /// Creates an object of the entity that has this class, and inserts it.
    ///
    /// Stops, as on Apple's systems, where the context's model has no such entity or several.
    public init(context moc: NSManagedObjectContext) {
        let entities = moc.persistentStoreCoordinator?.managedObjectModel.entities(ofClass: Self.self) ?? []
        guard entities.count == 1 else {
            preconditionFailure(
                entities.isEmpty
                    ? "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(Self.self)'"
                    : "Multiple NSEntityDescriptions claim the NSManagedObject subclass '\(Self.self)'")
        }
        self.init(_frameworkOnly: entities[0])
        moc.insert(self)
    }
}

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
            return (try? SlotValue(attribute.defaultValue, for: attribute.attributeType)) ?? .null
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
