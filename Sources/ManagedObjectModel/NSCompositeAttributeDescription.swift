import FoundationSupplement

/// An attribute made of other attributes, read and written as a dictionary.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    private var storedElements: [NSAttributeDescription] = []

    /// Creates a composite without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The attributes that make up the composite; each may be a composite again.
    open var elements: [NSAttributeDescription] {
        get { storedElements }
        set { edit { storedElements = newValue } }
    }
}
