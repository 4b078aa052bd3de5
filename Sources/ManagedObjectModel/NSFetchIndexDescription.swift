import FoundationSupplement

/// An index of an entity, by one or several of its properties.
open class NSFetchIndexDescription: NSObject {
    /// The index's name, unique in its entity.
    open var name: String
    /// What the index is sorted by, most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        didSet { adoptElements() }
    }
    /// The entity that declares the index.
    public private(set) weak var entity: NSEntityDescription?
    /// Which rows are indexed; nil for all.
    open var partialIndexPredicate: NSPredicate?

    /// Creates an index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    package func setEntity(_ entity: NSEntityDescription?) { self.entity = entity }

    private func adoptElements() {
        for element in elements { element.setIndexDescription(self) }
    }
}
