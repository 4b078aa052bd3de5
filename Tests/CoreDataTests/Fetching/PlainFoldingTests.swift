import FoundationSupplement
import Testing

@testable import CoreData

@Suite("Folding byte by byte")
struct PlainFoldingTests {
    static let options: [FoundationSupplement.NSComparisonPredicate.Options] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    private func folded(
        _ text: String, _ options: FoundationSupplement.NSComparisonPredicate.Options
    ) -> String? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { PlainFolding(options)?.folded($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("gives what strings give, for every letter of Latin 1, alone and beside others")
    func letters() {
        for options in Self.options {
            let comparison = StringComparison(options)
            for number in UInt8.min ... .max {
                let letter = String(Unicode.Scalar(number))
                for text in [letter, "a\(letter)", "\(letter)Z", "É\(letter)é", "\(letter)\u{301}", "\(letter)中"] {
                    guard let found = folded(text, options) else { continue }
                    #expect(found == comparison.folded(text), "\(text.unicodeScalars.map(\.value)) \(options)")
                }
            }
        }
    }

    @Test("tells all of ASCII, accents where they don't count, and leaves marks and other letters to strings")
    func reach() {
        #expect(folded("Aé", [.caseInsensitive, .diacriticInsensitive]) == "ae")
        #expect(folded("ABC xyz", .caseInsensitive) == "abc xyz")
        #expect(folded("é", .caseInsensitive) == nil)
        #expect(folded("e\u{301}", [.caseInsensitive, .diacriticInsensitive]) == nil)
        #expect(folded("ß", [.caseInsensitive, .diacriticInsensitive]) == nil)
        #expect(folded("中", .caseInsensitive) == nil)
        #expect(PlainFolding(.localeSensitive) == nil)
    }

    @Test("orders as strings do, or leaves it to them", arguments: Randomness.seeds(1))
    func order(_ seed: UInt64) {
        var random = Randomness(seed)
        let letters = ["a", "A", "b", "é", "É", "z", "\u{301}", "ß", ""]
        for _ in 0..<2000 {
            let texts = (0..<2).map { _ in (0..<3).map { _ in random.pick(letters) }.joined() }
            let (a, b) = (Array(texts[0].utf8), Array(texts[1].utf8))
            for options in Self.options {
                let comparison = StringComparison(options)
                a.withUnsafeBufferPointer { a in
                    b.withUnsafeBufferPointer { b in
                        let folding = PlainFolding(options)
                        if let found = folding?.order(a, b) {
                            #expect(found == comparison.order(texts[0], texts[1]), "seed \(seed): \(texts) \(options)")
                        }
                        if let prefix = folding?.folded(b),
                            let found = prefix.withUnsafeBufferPointer({ folding?.begins(a, with: $0) })
                        {
                            #expect(
                                found == comparison.hasPrefix(texts[0], texts[1]), "seed \(seed): \(texts) \(options)")
                        }
                    }
                }
            }
        }
    }
}
