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

    package static func needsEscape(_ key: String) -> Bool {
        let word = key.uppercased()
        return all.contains(word) || contextual.contains(word)
    }
}
