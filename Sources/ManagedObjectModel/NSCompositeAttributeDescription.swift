import FoundationSupplement

/// An attribute made of other attributes, read and written as a dictionary.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    private var storedElements: [NSAttributeDescription] = []
    /// The name under which a model's file describes the elements, once for all attributes that are made of them.
    package var compositeName: String?

    /// Creates a composite without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// Reads a description from Foundation's archive, without its entity.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The attributes that make up the composite; each may be a composite again.
    open var elements: [NSAttributeDescription] {
        get { storedElements }
        set {
            edit {
                for element in storedElements { element.setComposite(nil) }
                storedElements = newValue
                for element in newValue { element.setComposite(self) }
            }
        }
    }

    override func makeEmpty() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        guard let other = other as? NSCompositeAttributeDescription else { return }
        elements = other.elements.compactMap { $0.copy() as? NSAttributeDescription }
        compositeName = other.compositeName
    }
}
