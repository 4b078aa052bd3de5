import FoundationSupplement

/// An index of an entity, by one or several of its properties.
///
/// ```swift
/// let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
/// city.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
/// ```
open class NSFetchIndexDescription: NSObject, NSCopying, NSCoding {
    private var storedName: String
    private var storedElements: [NSFetchIndexElementDescription]
    private var storedPredicate: NSPredicate?
    /// How the file that the index was read from spells it, where that isn't how it would be written.
    package var spelling = SourceSpelling()

    /// The entity that declares the index.
    public private(set) weak var entity: NSEntityDescription?

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - name: the index's name, unique in its entity.
    ///   - elements: what it is sorted by, most significant first; all of the same collation type.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        storedName = name
        storedElements = elements ?? []
        super.init()
        for element in storedElements { element.setIndexDescription(self) }
    }

    /// The index's name, unique in its entity.
    open var name: String {
        get { storedName }
        set { edit { storedName = newValue } }
    }

    /// What the index is sorted by, most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        get { storedElements }
        set {
            edit {
                for element in storedElements { element.setIndexDescription(nil) }
                storedElements = newValue
                for element in newValue { element.setIndexDescription(self) }
            }
        }
    }

    /// Which rows are indexed; nil for all.
    open var partialIndexPredicate: NSPredicate? {
        get { storedPredicate }
        set { edit { storedPredicate = newValue } }
    }

    package func setEntity(_ entity: NSEntityDescription?) { self.entity = entity }

    var mayBeEdited: Bool { entity?.mayBeEdited ?? true }

    private func edit(_ change: () -> Void) {
        if mayBeEdited { change() } else { misuse("Can't modify an immutable model.") }
    }

    // MARK: Copying and archiving

    /// A copy with copies of the elements, which belongs to no entity and can be changed.
    open func copy(with zone: NSZone? = nil) -> Any { copy(in: nil) }

    /// A copy whose elements are of an entity's properties, as far as it has those of the same names.
    func copy(in entity: NSEntityDescription?) -> NSFetchIndexDescription {
        let copy = NSFetchIndexDescription(name: name, elements: elements.map { $0.copy(in: entity) })
        copy.partialIndexPredicate = partialIndexPredicate
        copy.spelling = spelling
        return copy
    }

    /// Reads an index from Foundation's archive, without its entity; nil for an archive of something else.
    public required init?(coder: NSCoder) {
        guard let index = DescriptionCoding.model(from: coder)?.entities.first?.indexes.first else { return nil }
        storedName = index.name
        storedElements = index.elements.map { $0.copy(in: nil) }
        storedPredicate = index.partialIndexPredicate
        super.init()
        for element in storedElements { element.setIndexDescription(self) }
    }

    /// Writes the index with the properties that it is sorted by.
    open func encode(with coder: NSCoder) { DescriptionCoding.encode(self, with: coder) }
}
