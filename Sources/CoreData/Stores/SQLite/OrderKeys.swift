/// The numbers by which ordered relationships are sorted: sparse, so that an object can be put between two others without
/// touching them.
package enum SQLOrderKey {
    /// The first one's.
    package static let first: Int64 = 2048
    /// From one to the next, where objects are put at the end.
    package static let step: Int64 = 1024

    /// The members that need another position so that all are in order.
    ///
    /// As many as possible keep theirs. The others come between their neighbours, evenly; where there is no room, all
    /// get new ones. Takes time proportional to `n log n`.
    ///
    /// - Parameters:
    ///   - members: the keys of all members, in the order that they should have, each once.
    ///   - known: the positions that some of them have.
    static func changes(_ members: [Int64], known: [Int64: Int64]) -> [(member: Int64, position: Int64)] {
        let old = members.map { member in known[member].flatMap { $0 > 0 ? $0 : nil } }
        let new = filled(old, keeping: kept(old)) ?? renumbered(members.count)
        return zip(members, zip(old, new)).compactMap { member, positions in
            positions.0 == positions.1 ? nil : (member, positions.1)
        }
    }

    private static func renumbered(_ count: Int) -> [Int64] { (0..<count).map { first + Int64($0) * step } }

    /// The places of a longest run of positions that increase.
    private static func kept(_ positions: [Int64?]) -> [Int] {
        // For each length, the place where the run of that length with the lowest end ends.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: positions.count)
        for (place, position) in positions.enumerated() {
            guard let position else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let end = positions[ends[middle]], end < position { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var run: [Int] = []
        var place = ends.last ?? -1
        while place >= 0 {
            run.append(place)
            place = previous[place]
        }
        return run.reversed()
    }

    /// Positions for all, with those at some places kept; nil where there is no room.
    private static func filled(_ positions: [Int64?], keeping kept: [Int]) -> [Int64]? {
        var result: [Int64] = []
        var lower: Int64 = 0
        for place in kept {
            guard let upper = positions[place], fill(&result, to: place, from: lower, below: upper) else { return nil }
            result.append(upper)
            lower = upper
        }
        let rest = positions.count - result.count
        guard lower <= Int64.max - Int64(rest + 1) * step else { return nil }
        let start = kept.isEmpty ? first : lower + step
        return result + (0..<rest).map { start + Int64($0) * step }
    }

    /// Adds positions between two up to a place; false where there aren't enough.
    private static func fill(_ result: inout [Int64], to place: Int, from lower: Int64, below upper: Int64) -> Bool {
        let count = Int64(place - result.count)
        guard count > 0 else { return true }
        let (whole, rest) = (upper - lower).quotientAndRemainder(dividingBy: count + 1)
        guard whole > 0 else { return false }
        for number in 1...count { result.append(lower + whole * number + rest * number / (count + 1)) }
        return true
    }
}
