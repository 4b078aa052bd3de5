extension PredicateParser {
    /// How tightly operators bind, from loose to tight.
    enum Precedence: Int, Comparable {
        case or, and, comparison, assignment, set, bits, sum, product, power, sign

        static func < (left: Precedence, right: Precedence) -> Bool {
            left.rawValue < right.rawValue
        }

        /// The next tighter level: the right operand of an operator that associates to the left.
        var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .sign }
    }

    enum BinaryOperator {
        case logical(NSCompoundPredicate.LogicalType)
        case comparison
        case assignment
        case set(SetOperation)
        case function(String, Precedence)

        var precedence: Precedence {
            switch self {
            case .logical(.or): .or
            case .logical: .and
            case .comparison: .comparison
            case .assignment: .assignment
            case .set: .set
            case .function(_, let precedence): precedence
            }
        }
    }

    /// The operator that the current token is.
    func binaryOperator() -> BinaryOperator? {
        switch current.kind {
        case .symbol(.and): return .logical(.and)
        case .symbol(.or): return .logical(.or)
        case .symbol(.assign): return .assignment
        case .symbol(let symbol):
            if let (function, precedence) = Self.arithmetic[symbol] { return .function(function, precedence) }
        default: break
        }
        switch current.keyword {
        case "AND": return .logical(.and)
        case "OR": return .logical(.or)
        case "UNION": return .set(.union)
        case "INTERSECT": return .set(.intersect)
        case "MINUS": return .set(.minus)
        default: return comparisonOperator() == nil ? nil : .comparison
        }
    }

    private static let arithmetic: [Token.Symbol: (String, Precedence)] = [
        .plus: ("add:to:", .sum), .minus: ("from:subtract:", .sum), .times: ("multiply:by:", .product),
        .divide: ("divide:by:", .product), .power: ("raise:toPower:", .power), .bitAnd: ("bitwiseAnd:with:", .bits),
        .bitOr: ("bitwiseOr:with:", .bits), .bitXor: ("bitwiseXor:with:", .bits),
        .shiftLeft: ("leftshift:by:", .bits), .shiftRight: ("rightshift:by:", .bits),
    ]

    /// A comparison operator: its type, or the method that takes its place, and how many tokens it takes.
    struct ComparisonOperator {
        let type: NSComparisonPredicate.Operator
        var selector: String?
        var tokenCount = 1
    }

    /// The comparison operator that starts at the current token.
    func comparisonOperator() -> ComparisonOperator? {
        switch current.kind {
        case .symbol(let symbol):
            return Self.comparisonSymbols[symbol].map { ComparisonOperator(type: $0) }
        case .identifier(let name):
            if let keyword = current.keyword {
                if let type = Self.comparisonWords[keyword] { return ComparisonOperator(type: type) }
                if let uniformType = uniformTypeOperator() { return uniformType }
            }
            // A method's name has its colon directly behind it.
            guard following.kind == .symbol(.colon), following.start == current.end else { return nil }
            return ComparisonOperator(type: .customSelector, selector: name + ":", tokenCount: 2)
        default:
            return nil
        }
    }

    /// `UTI-CONFORMS-TO` and `UTI-EQUALS`, whose hyphens are tokens of their own.
    private func uniformTypeOperator() -> ComparisonOperator? {
        guard current.keyword == "UTI" else { return nil }
        for words in [["UTI", "CONFORMS", "TO"], ["UTI", "EQUALS"]] {
            let count = words.count * 2 - 1
            guard index + count <= tokens.count else { continue }
            let matches = (0..<count).allSatisfy { offset in
                let token = tokens[index + offset]
                return offset.isMultiple(of: 2)
                    ? token.keyword == words[offset / 2] : token.kind == .symbol(.minus)
            }
            guard matches else { continue }
            let name = words.joined(separator: "-")
            return ComparisonOperator(type: .customSelector, selector: name, tokenCount: count)
        }
        return nil
    }

    private static let comparisonSymbols: [Token.Symbol: NSComparisonPredicate.Operator] = [
        .equal: .equalTo, .doubleEqual: .equalTo, .notEqual: .notEqualTo, .lessGreater: .notEqualTo,
        .less: .lessThan, .greater: .greaterThan, .lessOrEqual: .lessThanOrEqualTo,
        .lessOrEqualReversed: .lessThanOrEqualTo, .greaterOrEqual: .greaterThanOrEqualTo,
        .greaterOrEqualReversed: .greaterThanOrEqualTo,
    ]

    private static let comparisonWords: [String: NSComparisonPredicate.Operator] = [
        "BETWEEN": .between, "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
        "LIKE": .like, "MATCHES": .matches,
    ]
}
