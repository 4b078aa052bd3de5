import FoundationSupplement

/// Takes case and accents from letters byte by byte, without making strings, where nearly all letters are: in ASCII,
/// and in Latin 1 when both case and accents don't count. It says where it can't tell.
struct PlainFolding {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    private let ignoresCase: Bool
    private let ignoresAccents: Bool

    /// Nil for options that depend on a locale.
    init?(_ options: FoundationSupplement.NSComparisonPredicate.Options) {
        guard options.isSubset(of: [.caseInsensitive, .diacriticInsensitive]) else { return nil }
        ignoresCase = options.contains(.caseInsensitive)
        ignoresAccents = options.contains(.diacriticInsensitive)
    }

    /// For U+00C0 to U+00FF, the letter without case and accent; 0 for those that have no such letter.
    private static let latin: StaticString =
        "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0\0aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y"

    /// The folded character at a place, which moves on behind it; nil for a character whose form can't be told.
    @inline(__always)
    private func next(_ text: Bytes, _ place: inout Int) -> UInt8? {
        let byte = text[place]
        place += 1
        var folded = byte
        if byte >= 0x80 {
            guard byte == 0xc3, ignoresCase, ignoresAccents, place < text.count else { return nil }
            folded = Self.latin.utf8Start[Int(text[place] & 0x3f)]
            place += 1
            if folded == 0 { return nil }
        } else if ignoresCase, byte &- UInt8(ascii: "A") < 26 {
            folded = byte | 0x20
        }
        // What follows could be a mark that belongs to the character; ASCII and Latin 1 have none.
        guard place == text.count || Self.isPlain(text[place]) else { return nil }
        return folded
    }

    /// Whether a character that begins so is one of ASCII or Latin 1.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 || byte == 0xc3 }

    /// The text without what doesn't count; nil where that can't be told.
    func folded(_ text: Bytes) -> [UInt8]? { withFolded(text) { Array($0) } }

    /// Calls `body` with the folded text; nil where that can't be told.
    func withFolded<R>(_ text: Bytes, _ body: (Bytes) -> R) -> R? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, text.count)) { buffer in
            var (place, count) = (0, 0)
            while place < text.count {
                guard let byte = next(text, &place) else { return nil }
                buffer[count] = byte
                count += 1
            }
            return body(Bytes(rebasing: UnsafeBufferPointer(buffer)[..<count]))
        }
    }

    /// Whether a text begins with a folded prefix; nil where that can't be told.
    func begins(_ text: Bytes, with prefix: Bytes) -> Bool? {
        var place = 0
        for wanted in prefix {
            guard place < text.count else { return false }
            guard let byte = next(text, &place) else { return nil }
            if byte != wanted { return false }
        }
        return true
    }

    /// The order of two texts; nil where that can't be told.
    func order(_ a: Bytes, _ b: Bytes) -> ComparisonResult? {
        var (inA, inB) = (0, 0)
        while inA < a.count, inB < b.count {
            guard let x = next(a, &inA), let y = next(b, &inB) else { return nil }
            if x != y { return x < y ? .orderedAscending : .orderedDescending }
        }
        let (isEndOfA, isEndOfB) = (inA == a.count, inB == b.count)
        // Beside an empty text a mark alone may count for nothing.
        guard isEndOfA || Self.isPlain(a[inA]), isEndOfB || Self.isPlain(b[inB]) else { return nil }
        return isEndOfA && isEndOfB ? .orderedSame : isEndOfA ? .orderedAscending : .orderedDescending
    }
}
