import Testing

@testable import CoreData

@Suite("Positions in ordered relationships")
struct OrderKeysTests {
    private static func changes(_ members: [Int64], _ known: [Int64: Int64]) -> [Int64: Int64] {
        Dictionary(uniqueKeysWithValues: SQLOrderKey.changes(members, known: known).map { ($0.member, $0.position) })
    }

    @Test("begin at 2048, with 1024 from one to the next")
    func new() {
        #expect(Self.changes([7, 5, 9], [:]) == [7: 2048, 5: 3072, 9: 4096])
        #expect(Self.changes([], [:]).isEmpty)
    }

    @Test("stay where the order is right, gaps and all")
    func unchanged() {
        #expect(Self.changes([1, 2, 3], [1: 11, 2: 12, 3: 15]).isEmpty)
    }

    @Test("between two others lie in the middle, before the first half-way to nought, after the last a step on")
    func inserted() {
        let known: [Int64: Int64] = [1: 2048, 2: 3072]
        #expect(Self.changes([1, 3, 2], known) == [3: 2560])
        #expect(Self.changes([1, 3, 4, 5, 2], known) == [3: 2304, 4: 2560, 5: 2816])
        #expect(Self.changes([3, 1, 2], known) == [3: 1024])
        #expect(Self.changes([1, 2, 3], known) == [3: 4096])
    }

    @Test("of a member that moved change alone")
    func moved() {
        let known: [Int64: Int64] = [1: 2048, 2: 3072, 3: 4096, 4: 5120]
        #expect(Self.changes([4, 1, 2, 3], known) == [4: 1024])
        #expect(Self.changes([2, 3, 4, 1], known) == [1: 6144])
        #expect(Self.changes([1, 3, 2, 4], known).count == 1)
    }

    @Test("are given anew to all where there is no room left")
    func full() {
        #expect(Self.changes([1, 3, 2], [1: 11, 2: 12]) == [1: 2048, 3: 3072, 2: 4096])
        #expect(Self.changes([3, 1], [1: 1]) == [3: 2048, 1: 3072])
        #expect(Self.changes([1, 2], [1: .max - 5]) == [1: 2048, 2: 3072])
    }

    @Test("that are equal, or not above nought, as damaged stores have them, are replaced")
    func damaged() {
        #expect(Self.changes([1, 2], [1: 2048, 2: 2048]).count == 1)
        #expect(Self.changes([1, 2], [1: -4, 2: 0]) == [1: 2048, 2: 3072])
    }

    @Test("sort as asked after any sequence of changes, and mostly stay", arguments: [1, 2, 3] as [UInt64])
    func anyOrder(_ seed: UInt64) {
        var randomness = Randomness(seed)
        var members: [Int64] = []
        var known: [Int64: Int64] = [:]
        for number in 1...400 as ClosedRange<Int64> {
            if members.count > 5, Bool.random(using: &randomness) {
                let from = Int.random(in: 0..<members.count, using: &randomness)
                members.insert(members.remove(at: from), at: Int.random(in: 0..<members.count, using: &randomness))
            } else {
                members.insert(number, at: Int.random(in: 0...members.count, using: &randomness))
            }
            let changes = SQLOrderKey.changes(members, known: known)
            for change in changes { known[change.member] = change.position }
            let positions = members.compactMap { known[$0] }
            let isNew = positions == members.indices.map { 2048 + 1024 * Int64($0) }
            #expect(changes.count <= 1 || isNew, "seed \(seed)")
            #expect(positions.count == members.count && zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
