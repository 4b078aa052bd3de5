/// Words that can't be used bare as a key: they are written `#size` or passed through `%K`.
package enum ReservedWords {
    /// Apple's published list.
    static let all: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST",
        "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// Words that are keywords only where an operator or a parenthesis makes them so, but are escaped when printed.
    static let contextual: Set<String> = ["FUNCTION", "TERNARY", "UNION", "INTERSECT", "MINUS"]

    /// All words that mean something to the parser.
    static let keywords = all.union(contextual).union(["UTI", "CONFORMS", "TO", "EQUALS"])

    private static let longestKeyword = keywords.map(\.utf8.count).max() ?? 0

    /// The keyword that an identifier is, in upper case.
    static func keyword(_ identifier: ArraySlice<UInt8>) -> String? {
        guard identifier.count <= longestKeyword else { return nil }
        let word = String(
            unsafeUninitializedCapacity: identifier.count,
            initializingUTF8With: { buffer in
                for (index, byte) in identifier.enumerated() {
                    buffer[index] = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
                }
                return identifier.count
            })
        return keywords.contains(word) ? word : nil
    }

    package static func needsEscape(_ key: String) -> Bool {
        let word = key.uppercased()
        return all.contains(word) || contextual.contains(word)
    }
}
