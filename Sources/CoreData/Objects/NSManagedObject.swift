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
    ManagedObjectCreation, PointerTableEntry
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
    /// What the store, or the parent context, had when it was last read or written; nil for an object never saved, and
    /// for a fault whose row was not read yet.
    @exclusivity(unchecked) final var row: Row?
    /// The slots as they were at the start of the current event, if they were changed in it.
    @exclusivity(unchecked) final var eventSlots: [SlotValue]?
    @exclusivity(unchecked) final var state: State

    struct State: OptionSet {
        let rawValue: UInt16
        init(rawValue: UInt16) { self.rawValue = rawValue }
        static let fault = State(rawValue: 1)
        static let inserted = State(rawValue: 1 << 1)
        static let updated = State(rawValue: 1 << 2)
        static let deleted = State(rawValue: 1 << 3)
        /// During `awakeFromFetch`, when what is set counts as no change.
        static let awaking = State(rawValue: 1 << 4)
        /// The row was found to be gone: there is nothing to delete or to validate.
        static let inaccessible = State(rawValue: 1 << 5)
        /// Listed as touched in the current event, so that further changes need no bookkeeping.
        static let noted = State(rawValue: 1 << 6)
        static let insertedInEvent = State(rawValue: 1 << 7)
        static let deletedInEvent = State(rawValue: 1 << 8)
        /// While a key path is followed, when an unknown key is an error of input; and whether one was met.
        static let followed = State(rawValue: 1 << 9)
        static let unanswered = State(rawValue: 1 << 10)
        static let unsaved: State = [.inserted, .updated, .deleted]
        static let event: State = [.noted, .insertedInEvent, .deletedInEvent]
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
        registry?.remove(self)
    }

    /// How the framework makes objects of a class it only knows at run time. Not for programs: a fetched object would
    /// be neither fetched nor inserted.
    public required convenience init(_frameworkOnly entity: NSEntityDescription) {
        self.init(entity: entity, insertInto: nil)
    }

    // MARK: Of classes

    /// The entity of the class, in the one model in use that has it.
    ///
    /// A model is in use once a coordinator was made with it.
    open class func entity() -> NSEntityDescription { LoadedModels.entity(of: Self.self) }

    /// A request for the objects of the class.
    ///
    /// Generated classes declare one of their own that returns `NSFetchRequest<City>`; it is preferred.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
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
    public final var hasChanges: Bool { !state.isDisjoint(with: .unsaved) }
    /// Whether the object's values are not filled in yet. Reading any of them fills all.
    public final var isFault: Bool { state.contains(.fault) }
    /// 0 for a filled object, else 1.
    public final var faultingState: Int { isFault ? 1 : 0 }

    final var isInaccessible: Bool { state.contains(.inaccessible) }

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
    /// Called when undo, redo, a rollback, a refresh or a merge policy has given the object other values. It can come
    /// to a fault: look at `isFault` first where values aren't needed.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Whether changes of properties that the model doesn't have leave `hasChanges` alone. Always, on Linux, where nobody
    /// observes them.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

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

    /// Checks one value before it is saved, or when a program wants to know.
    ///
    /// Subclasses override it for rules of their own (on Linux there are no `validate<Key>` methods to be found by name),
    /// and call `super` for the model's. Don't call it from there for other keys.
    /// - Parameters:
    ///   - value: the value; may be replaced by another.
    ///   - key: the property's name.
    /// - Throws: why the value may not be saved.
    open func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try check(&value.pointee, forKey: key)
    }

    // MARK: Key-value coding

    /// The value of a property: numbers and Booleans as `NSNumber`, decimals as `NSDecimalNumber`, then `String`,
    /// `Date`, `Data`, `UUID`, `URL`, `NSManagedObject`, `Set<NSManagedObject>` and `NSOrderedSet`.
    ///
    /// Fills a fault first. Costs a dictionary look-up for the key.
    open func value(forKey key: String) -> Any? {
        if ConcurrencyDebug.isOn { managedObjectContext?.checkQueue() }
        guard let slot = layout.slot(key) else { return unmodelledValue(key) }
        return foundationValue(slot)
    }

    /// Sets a property, and both ends of a relationship. Numbers may be any Swift or Foundation number in range.
    ///
    /// A value of the wrong type is a mistake of the program: debug builds stop with Apple's wording, release builds
    /// log it and leave the property as it was.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let slot = layout.slot(key) else { return setValue(value, forUndefinedKey: key) }
        setFoundationValue(value, slot)
    }

    /// Called by `value(forKey:)` for a key that the entity doesn't have: by default a mistake of the program, which stops
    /// debug builds, and gives nil in release builds.
    open func value(forUndefinedKey key: String) -> Any? {
        if state.contains(.followed) {
            state.insert(.unanswered)
            return nil
        }
        misuse(undefinedKey(key, "valueForUndefinedKey"))
        return nil
    }

    /// Called by `setValue(_:forKey:)` for a key that the entity doesn't have: by default a mistake of the program, which
    /// stops debug builds, and does nothing in release builds.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        misuse(
            "[<\(type(of: self)) \(address)> setValue:forUndefinedKey:]: this class is not key value coding-compliant for"
                + " the key \(key).")
    }

    /// For accessors written by hand of properties that can't be nil: by default a mistake of the program, which stops
    /// debug builds, and does nothing in release builds.
    open func setNilValueForKey(_ key: String) {
        misuse("[<\(type(of: self)) \(address)> setNilValueForKey]: could not set nil as the value for the key \(key).")
    }

    /// The value of a property as it is stored: what an accessor written by hand reads, between `willAccessValue(forKey:)`
    /// and `didAccessValue(forKey:)`. Fires no fault: of a fault it is nil.
    open func primitiveValue(forKey key: String) -> Any? {
        guard !isFault else { return nil }
        return layout.slot(key).flatMap { foundationValue($0) }
    }

    /// Sets the stored value of a property alone: the context doesn't notice, and the other end of a relationship isn't
    /// told. An accessor written by hand calls it between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, which
    /// see to both.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard let slot = layout.slot(key) else {
            misuse(undefinedKey(key, "setPrimitiveValue"))
            return
        }
        setPrimitive(value, slot)
    }

    /// The same as `value(forKey:)` and `setValue(_:forKey:)`.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// In predicates an object and its ID are the same.
    package final var predicateIdentity: AnyObject { objectID }

    package final func keyValue(forKey key: String) throws -> Any? {
        if layout.slot(key) != nil { return value(forKey: key) }
        // A class may know keys that its entity doesn't.
        state.insert(.followed)
        defer { state.subtract([.followed, .unanswered]) }
        let value = value(forKey: key)
        guard !state.contains(.unanswered) else {
            throw CocoaError.request("keypath \(key) not found in entity \(entity.name ?? "")")
        }
        return value
    }

    private func unmodelledValue(_ key: String) -> Any? {
        switch key {
        case "objectID": return objectID
        case "entity": return entity
        case "self": return self
        default: return value(forUndefinedKey: key)
        }
    }

    private func undefinedKey(_ key: String, _ method: String) -> String {
        "[<\(type(of: self)) \(address)> \(method):]: the entity \(entity.name ?? "") is not key value coding-compliant"
            + " for the key \"\(key)\"."
    }

    // MARK: Changes

    /// The unsaved values of the persistent properties that differ from the store's; nil as `NSNull`. Empty for an object
    /// without unsaved changes.
    open func changedValues() -> [String: Any] { unsavedValues() }

    /// The store's values as last read or written.
    ///
    /// - Parameter keys: the properties' names; nil for all.
    /// - Returns: values that are nil as `NSNull`. An object that was never saved has none.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(forKeys: keys) }

    /// To be called before a primitive value is set.
    open func willChangeValue(forKey key: String) { beginChange(forKey: key) }

    /// To be called after a primitive value was set: tells the context, and the other end of a relationship.
    open func didChangeValue(forKey key: String) { endChange(forKey: key) }

    /// To be called before objects are added to, or taken from, a primitive to-many value.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        if let slot = layout.slot(inKey) { _ = slotValue(slot) }
        prepareChange()
    }

    /// To be called after objects were added to, or taken from, a primitive to-many value: tells the other ends.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        endChange(forKey: inKey, of: inObjects)
    }

    /// To be called by accessors written by hand before they read a primitive value: fills a fault. A nil key fills it
    /// too.
    open func willAccessValue(forKey key: String?) {
        if state.contains(.fault) { fire(key.flatMap { layout.slot($0) }.map { layout.properties[$0] }) }
    }

    /// To be called by accessors written by hand after they have read a primitive value.
    open func didAccessValue(forKey key: String?) {}

    /// An object is equal to itself only.
    open override var hash: Int { ObjectIdentifier(self).hashBits }

    /// As Apple's: class, address, entity, ID and, unless the object is a fault, its values.
    open override var description: String {
        let data = isFault ? "<fault>" : "{\n\(describedValues)}"
        return "<\(type(of: self)): \(address)> (entity: \(entity.name ?? ""); id: \(objectID); data: \(data))"
    }

    final var address: String { "0x" + String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16) }

    private var describedValues: String {
        layout.properties.indices.map { slot in
            let name = layout.properties[slot].name
            return "    \(name) = \(describedValue(slot, name));\n"
        }.joined()
    }

    private func describedValue(_ slot: Int, _ name: String) -> String {
        guard slot < slots.count else { return "nil" }
        switch (layout.kinds[slot], slots[slot]) {
        case (.toMany, .toMany(let relation)) where relation.isLoaded:
            let list = relation.objects.map { "        \"\($0.objectID)\"" }.joined(separator: ",\n")
            return list.isEmpty ? "(\n)" : "(\n\(list)\n    )"
        case (.toMany, _), (.fetched, _): return "\"<relationship fault: \(address) '\(name)'>\""
        case (_, .object(let object)): return "\"\(object.objectID)\""
        case (_, .reference(let key, _)): return "\"<relationship fault: p\(key)>\""
        case (.attribute(let attribute), let value):
            return value.foundationValue(of: attribute).map { "\($0)" } ?? "nil"
        default: return "nil"
        }
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
            SQLLog.error(
                entities.isEmpty
                    ? "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(Self.self)' so +entity is"
                        + " confused.  Have you loaded your NSManagedObjectModel yet ?"
                    : "Multiple NSEntityDescriptions claim the NSManagedObject subclass '\(Self.self)' so +entity is unable"
                        + " to disambiguate.")
            fatalMisuse("An NSManagedObject of class '\(Self.self)' must have a valid NSEntityDescription.")
        }
        self.init(_frameworkOnly: entities[0])
        moc.insert(self)
    }
}
