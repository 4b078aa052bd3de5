/// Reads `predicateFormat`, which Linux's Foundation declares as deprecated, without a warning.
package protocol PredicateFormatReading {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateFormatReading {}

extension NSPredicate {
    /// The text of the predicate in Apple's form.
    package var formatText: String {
        switch self {
        case let comparison as NSComparisonPredicate: return comparison.comparisonText
        case let compound as Foundation.NSCompoundPredicate: return compound.compoundText
        default:
            let text = (self as any PredicateFormatReading).predicateFormat
            guard text == "BLOCKPREDICATE" else { return text }
            let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
            return "BLOCKPREDICATE(0x\(String(address, radix: 16)))"
        }
    }
}

extension Foundation.NSCompoundPredicate {
    fileprivate var compoundText: String {
        switch compoundPredicateType {
        case .not:
            return "NOT " + (subpredicates.first?.textAsPart ?? "TRUEPREDICATE")
        case .and where subpredicates.isEmpty: return "TRUEPREDICATE"
        case .or where subpredicates.isEmpty: return "FALSEPREDICATE"
        case .and: return subpredicates.map(\.textAsPart).joined(separator: " AND ")
        case .or: return subpredicates.map(\.textAsPart).joined(separator: " OR ")
        }
    }
}

extension NSPredicate {
    /// Every compound inside another is put in parentheses, NOT included.
    fileprivate var textAsPart: String {
        guard let compound = self as? Foundation.NSCompoundPredicate else { return formatText }
        // An empty compound prints as a word.
        return compound.subpredicates.isEmpty ? formatText : "(\(formatText))"
    }
}

extension NSComparisonPredicate {
    fileprivate var comparisonText: String {
        let prefix =
            switch comparisonPredicateModifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            }
        return prefix + leftExpression.formatText + " " + operatorText + " " + rightExpression.formatText
    }

    private var operatorText: String {
        let text =
            switch predicateOperatorType {
            case .lessThan: "<"
            case .lessThanOrEqualTo: "<="
            case .greaterThan: ">"
            case .greaterThanOrEqualTo: ">="
            case .equalTo: "=="
            case .notEqualTo: "!="
            case .matches: "MATCHES"
            case .like: "LIKE"
            case .beginsWith: "BEGINSWITH"
            case .endsWith: "ENDSWITH"
            case .in: "IN"
            case .contains: "CONTAINS"
            case .between: "BETWEEN"
            case .customSelector: customSelector ?? ""
            }
        return text + options.formatText
    }
}

extension NSComparisonPredicate.Options {
    /// The letters in brackets, or nothing.
    fileprivate var formatText: String {
        let letters: [(Self, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let text = letters.filter { contains($0.0) }.map(\.1).joined()
        return text.isEmpty ? "" : "[\(text)]"
    }
}
