import Dispatch
import FoundationSupplement

/// The results of a function for 0, 1, …, in order, computed by as many threads as there are processors. Of several
/// errors the one with the lowest number is thrown, as by a loop.
func parallelMap<Result: Sendable>(
    count: Int, _ transform: @Sendable (Int) throws -> Result
) throws -> [Result] {
    let results = Results<Result>(count)
    DispatchQueue.concurrentPerform(iterations: count) { index in
        results.set(index, Swift.Result { try transform(index) })
    }
    return try results.values.map { try $0.get() }
}

private final class Results<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var slots: [Result<Value, any Error>?]

    init(_ count: Int) { slots = Array(repeating: nil, count: count) }

    func set(_ index: Int, _ result: Result<Value, any Error>) {
        lock.withLock { slots[index] = result }
    }

    var values: [Result<Value, any Error>] { lock.withLock { slots.compactMap(\.self) } }
}
