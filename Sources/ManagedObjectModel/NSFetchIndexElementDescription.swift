import FoundationSupplement

/// One property, or expression, that a fetch index is sorted by.
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSCoding {
    private var storedType: NSFetchIndexElementType
    private var storedIsAscending = true
    /// How the file that the element was read from spells it, where that isn't how it would be written.
    package var spelling = SourceSpelling()

    /// The property: an attribute, a relationship or an `NSExpressionDescription`.
    public let property: NSPropertyDescription?
    /// The index that the element belongs to.
    public private(set) weak var indexDescription: NSFetchIndexDescription?

    /// Creates an element.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        storedType = collationType
        super.init()
    }

    /// The property's name.
    public var propertyName: String? { property?.name }

    /// How the element is organised.
    open var collationType: NSFetchIndexElementType {
        get { storedType }
        set { edit { storedType = newValue } }
    }

    /// The direction. Default: ascending.
    open var isAscending: Bool {
        get { storedIsAscending }
        set { edit { storedIsAscending = newValue } }
    }

    package func setIndexDescription(_ index: NSFetchIndexDescription?) { indexDescription = index }

    private func edit(_ change: () -> Void) {
        if indexDescription?.mayBeEdited ?? true { change() } else { misuse("Can't modify an immutable model.") }
    }

    // MARK: Copying and archiving

    /// A copy of the same property, which belongs to no index and can be changed.
    open func copy(with zone: NSZone? = nil) -> Any { copy(in: nil) }

    /// A copy of an entity's property of the same name, if it has one; expressions are copied.
    func copy(in entity: NSEntityDescription?) -> NSFetchIndexElementDescription {
        let own = (property as? NSExpressionDescription)?.copy() as? NSExpressionDescription
        let found = own ?? entity?.propertiesByName[propertyName ?? ""] ?? property ?? NSPropertyDescription()
        let copy = NSFetchIndexElementDescription(property: found, collationType: storedType)
        copy.storedIsAscending = storedIsAscending
        copy.spelling = spelling
        return copy
    }

    /// Reads an element from Foundation's archive, without its index; nil for an archive of something else.
    public required init?(coder: NSCoder) {
        let index = DescriptionCoding.model(from: coder)?.entities.first?.indexes.first
        guard let element = index?.elements.first else { return nil }
        property = element.property
        storedType = element.collationType
        storedIsAscending = element.isAscending
        super.init()
    }

    /// Writes the element with its property.
    open func encode(with coder: NSCoder) {
        DescriptionCoding.encode(NSFetchIndexDescription(name: "index", elements: [copy(in: nil)]), with: coder)
    }
}
