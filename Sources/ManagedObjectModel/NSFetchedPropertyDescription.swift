import FoundationSupplement

/// A property whose value is the result of a fetch request.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var storedRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The request; `$FETCH_SOURCE` stands for the object, `$FETCHED_PROPERTY` for this description.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { storedRequest }
        set { edit { storedRequest = newValue } }
    }

    /// Always true: the result is never stored.
    open override var isTransient: Bool {
        get { true }
        set {}
    }

    override func makeEmpty() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        guard let other = other as? NSFetchedPropertyDescription else { return }
        storedRequest = other.storedRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
    }
}
