import FoundationSupplement

/// An attribute whose value the store computes from other properties at each save.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    private var storedExpression: FoundationSupplement.NSExpression?
    package var filteringPredicate: NSPredicate?

    /// How the value is computed: a key path (`country.name`), a function over a relationship (`cities.@count`), or a
    /// function of an attribute (`canonical:(name)`), or `now()`.
    open var derivationExpression: FoundationSupplement.NSExpression? {
        get { storedExpression }
        set { edit { storedExpression = newValue } }
    }

    override func makeEmpty() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        guard let other = other as? NSDerivedAttributeDescription else { return }
        storedExpression = other.storedExpression
        filteringPredicate = other.filteringPredicate
    }

    /// The expression's text in the form that version hashes are made of: a key path is itself, `cities.@count` is
    /// `count:(cities)`.
    package var derivationText: String? {
        guard let text = storedExpression?.description else { return nil }
        guard text.hasSuffix(".@count") else { return text }
        return "count:(\(text.dropLast(".@count".count)))"
    }
}
