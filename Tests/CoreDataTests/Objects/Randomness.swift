/// Random choices that a printed seed repeats.
struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    mutating func next(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(next() % UInt64(limit)) }

    /// True once in `count` times.
    mutating func chance(_ count: Int) -> Bool { next(count) == 0 }

    mutating func pick<T>(_ list: [T]) -> T { list[next(list.count)] }

    /// One of the values, or sometimes nil.
    mutating func maybe<T>(_ list: [T]) -> T? { chance(6) ? nil : pick(list) }

    /// Seeds for a test's arguments: fixed ones, that a run may replace, and a fresh one. Failures print the seed.
    static func seeds(_ count: Int) -> [UInt64] {
        (1...UInt64(count)).map { $0 } + [UInt64.random(in: 0..<1_000_000_000)]
    }
}
