/// The queue that a context and its objects are used on.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// No queue: the program sees to it. Apple deprecated it.
    case confinementConcurrencyType = 0
    /// A queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}
