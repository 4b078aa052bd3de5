import FoundationSupplement

/// A column of a dictionary result that is computed, or an element of an index that is an expression.
open class NSExpressionDescription: NSPropertyDescription {
    private var storedExpression: FoundationSupplement.NSExpression?
    private var storedType = NSAttributeType.undefinedAttributeType

    /// The expression.
    open var expression: FoundationSupplement.NSExpression? {
        get { storedExpression }
        set { edit { storedExpression = newValue } }
    }

    /// The type of the result, as the older enumeration.
    open var expressionResultType: NSAttributeType {
        get { storedType }
        set { edit { storedType = newValue } }
    }

    /// The type of the result.
    open var resultType: NSAttributeDescription.AttributeType {
        get { .init(rawValue: storedType) }
        set { expressionResultType = newValue.rawValue }
    }

    override func makeEmpty() -> NSPropertyDescription { NSExpressionDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        guard let other = other as? NSExpressionDescription else { return }
        (storedExpression, storedType) = (other.storedExpression, other.storedType)
    }
}
