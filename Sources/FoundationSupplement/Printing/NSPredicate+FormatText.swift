/// Reads `predicateFormat`, which Linux's Foundation declares as deprecated, without a warning.
package protocol PredicateFormatReading {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateFormatReading {}

extension NSPredicate {
    /// The text of the predicate in Apple's form.
    package var formatText: String { FormatTextWriter.text(of: .predicate(self)) }

    var textPieces: [FormatTextWriter.Piece] {
        switch self {
        case let comparison as NSComparisonPredicate: comparison.comparisonPieces
        case let compound as Foundation.NSCompoundPredicate: compound.compoundPieces
        default: [.text(foundationText)]
        }
    }

    private var foundationText: String {
        let text = (self as any PredicateFormatReading).predicateFormat
        guard text == "BLOCKPREDICATE" else { return text }
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        return "BLOCKPREDICATE(0x\(String(address, radix: 16)))"
    }

    /// Every compound inside another is put in parentheses, NOT included; an empty one prints as a word.
    var isCompoundPart: Bool {
        (self as? Foundation.NSCompoundPredicate).map { !$0.subpredicates.isEmpty } ?? false
    }
}

extension Foundation.NSCompoundPredicate {
    fileprivate var compoundPieces: [FormatTextWriter.Piece] {
        let parts = subpredicates.map { FormatTextWriter.Piece.part($0) }
        switch compoundPredicateType {
        case .not: return [.text("NOT "), parts.first ?? .text("TRUEPREDICATE")]
        case .and where parts.isEmpty: return [.text("TRUEPREDICATE")]
        case .or where parts.isEmpty: return [.text("FALSEPREDICATE")]
        case .and: return FormatTextWriter.joined(parts, by: " AND ")
        case .or: return FormatTextWriter.joined(parts, by: " OR ")
        }
    }
}

extension NSComparisonPredicate {
    fileprivate var comparisonPieces: [FormatTextWriter.Piece] {
        let prefix =
            switch comparisonPredicateModifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            }
        return [
            .text(prefix), .expression(leftExpression), .text(" \(operatorText) "), .expression(rightExpression),
        ]
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
