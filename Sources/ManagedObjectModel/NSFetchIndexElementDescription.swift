import FoundationSupplement

/// One property, or expression, that a fetch index is sorted by.
open class NSFetchIndexElementDescription: NSObject {
    /// The property: an attribute, a relationship or an `NSExpressionDescription`.
    public let property: NSPropertyDescription?
    /// The property's name.
    public var propertyName: String? { property?.name }
    /// How the element is organised.
    open var collationType: NSFetchIndexElementType
    /// The direction. Default: ascending.
    open var isAscending = true
    /// The index that the element belongs to.
    public private(set) weak var indexDescription: NSFetchIndexDescription?

    /// Creates an element.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        super.init()
    }

    package func setIndexDescription(_ index: NSFetchIndexDescription?) { indexDescription = index }
}
