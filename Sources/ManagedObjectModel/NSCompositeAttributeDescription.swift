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

    /// The element at the end of a path of names.
    package func element(_ path: ArraySlice<String>) -> NSAttributeDescription? {
        guard let found = elements.first(where: { $0.name == path.first }) else { return nil }
        guard path.count > 1 else { return found }
        return (found as? NSCompositeAttributeDescription)?.element(path.dropFirst())
    }

    override func makeEmpty() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        guard let other = other as? NSCompositeAttributeDescription else { return }
        elements = other.elements.compactMap { $0.copy() as? NSAttributeDescription }
        compositeName = other.compositeName
    }
}

extension NSAttributeDescription {
    /// The attributes with values of their own that it is made of, each with the names on the way to it: of one that is no
    /// composite, itself alone.
    package var leaves: [(path: [String], attribute: NSAttributeDescription)] {
        guard let composite = self as? NSCompositeAttributeDescription else { return [([name], self)] }
        return composite.elements.flatMap(\.leaves).map { ([name] + $0.path, $0.attribute) }
    }
}
