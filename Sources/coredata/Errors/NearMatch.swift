/// The candidate that somebody who typed `text` may have meant, or nil if none is near.
func nearest(to text: String, among candidates: [String]) -> String? {
    let typed = Array(text.lowercased())
    let limit = max(1, min(3, typed.count / 3))
    let distances = candidates.map { ($0, editDistance(typed, Array($0.lowercased()))) }
    let best = distances.filter { $0.1 <= limit }.min { $0.1 < $1.1 }
    return best?.0
}

/// How many characters must be inserted, left out, replaced, or swapped with their neighbour.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
        var row = [i] + [Int](repeating: 0, count: b.count)
        for j in 1...b.count {
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
