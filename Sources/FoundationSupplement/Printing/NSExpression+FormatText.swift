/// How other targets' expressions print, such as CoreData's fetch expression.
package protocol CustomExpressionText {
    var customFormatText: String { get }
}

extension NSExpression {
    /// The text of the expression in Apple's form.
    package var formatText: String { FormatTextWriter.text(of: .expression(self)) }

    var textPieces: [FormatTextWriter.Piece] {
        if let custom = self as? any CustomExpressionText { return [.text(custom.customFormatText)] }
        switch storage {
        case .constant(let value): return Self.pieces(ofConstant: value)
        case .evaluatedObject: return [.text("SELF")]
        case .variable(let name): return [.text("$" + name)]
        case .keyPath(let operand, let path): return Self.pieces(of: path, on: operand)
        case .function(let name, let target?, let arguments): return Self.pieces(ofMethod: name, on: target, arguments)
        case .function(let name, nil, let arguments): return Self.pieces(ofFunction: name, arguments)
        case .set(let operation, let left, let right):
            return [.operand(left), .text(" \(operation.rawValue) "), .operand(right)]
        case .subquery(let collection, let variable, let predicate):
            return [
                .text("SUBQUERY("), .expression(collection), .text(", $\(variable), "), .predicate(predicate),
                .text(")"),
            ]
        case .aggregate(let elements): return [.text("{")] + FormatTextWriter.list(elements) + [.text("}")]
        case .anyKey: return [.text("ANYKEY")]
        case .block(_, let arguments): return [.text("BLOCK(")] + FormatTextWriter.list(arguments) + [.text(")")]
        case .conditional(let predicate, let yes, let no):
            return [
                .text("TERNARY("), .predicate(predicate), .text(", "), .expression(yes), .text(", "), .expression(no),
                .text(")"),
            ]
        case .symbolicIndex(let index): return [.text(index.rawValue)]
        case .assignment(let name, let value): return [.text("$\(name) := "), .operand(value)]
        case .fetch(let request, let context, let countOnly):
            return [
                .text("FETCH("), .expression(request), .text(", "), .expression(context),
                .text(", \(countOnly ? "YES" : "NO"))"),
            ]
        }
    }

    private static func pieces(ofConstant value: Any?) -> [FormatTextWriter.Piece] {
        switch PredicateTree.nestedNode(in: value) {
        case let expression as NSExpression: [.expression(expression)]
        case let predicate as NSPredicate: [.predicate(predicate)]
        default: [.text(ConstantText.text(of: value))]
        }
    }

    // MARK: Operators

    /// The operators that functions print as.
    private static let infix = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
        "bitwiseAnd:with:": "&", "bitwiseOr:with:": "|", "bitwiseXor:with:": "^", "leftshift:by:": "<<",
        "rightshift:by:": ">>",
    ]

    private static func pieces(ofFunction name: String, _ arguments: [NSExpression]) -> [FormatTextWriter.Piece] {
        if arguments.count == 2 {
            let (first, second) = (arguments[0], arguments[1])
            if let symbol = infix[name] { return [.operand(first), .text(" \(symbol) "), .operand(second)] }
            if name == "objectFrom:withIndex:" {
                return [.base(first, .index), .text("["), .expression(second), .text("]")]
            }
            if name == "castObject:toType:" {
                return [.text("CAST(")] + FormatTextWriter.list(arguments) + [.text(")")]
            }
        }
        if name == "onesComplement:", arguments.count == 1 { return [.text("~"), .operand(arguments[0])] }
        return [.text(name + "(")] + FormatTextWriter.list(arguments) + [.text(")")]
    }

    private static func pieces(
        ofMethod name: String, on target: NSExpression, _ arguments: [NSExpression]
    ) -> [FormatTextWriter.Piece] {
        if name == "valueForKeyPath:", arguments.count == 1, case .variable(let variable) = arguments[0].storage {
            return [.base(target, .key), .text(".$\(variable)")]
        }
        let start: [FormatTextWriter.Piece] = [
            .text("FUNCTION("), .expression(target), .text(", \(ConstantText.quoted(name))"),
        ]
        // The space before the comma is Apple's.
        return arguments.isEmpty
            ? start + [.text(")")] : start + [.text(" , ")] + FormatTextWriter.list(arguments) + [.text(")")]
    }

    /// Whether the expression is put in parentheses as an operand. Apple's parentheses round operators inside operators
    /// aren't known; with all of them the text means the same.
    var isOperator: Bool {
        switch storage {
        case .function(let name, nil, let arguments):
            arguments.count == 2 && Self.infix[name] != nil || name == "onesComplement:"
        case .set, .assignment: true
        case .constant(let value): (PredicateTree.nestedNode(in: value) as? NSExpression)?.isOperator ?? false
        default: false
        }
    }

    // MARK: Key paths

    private static func pieces(of path: String, on operand: NSExpression?) -> [FormatTextWriter.Piece] {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        let text = parts.map { ReservedWords.needsEscape(String($0)) ? "#" + $0 : String($0) }.joined(separator: ".")
        guard let operand else { return [.text(text)] }
        return [.base(operand, .key), .text("." + text)]
    }

    /// Whether a key or an index behind the expression would change its meaning.
    func needsParentheses(before follower: FormatTextWriter.Follower) -> Bool {
        switch storage {
        // Apple's `a.d[0]` means something else than `(a.d)[0]`, and `(a.b).c` isn't `a.b.c` here.
        case .keyPath(let operand, let path): follower == .key || operand != nil || path.contains(".")
        case .constant(let value):
            if case .string = PredicateValue(value) { false } else { true }
        default: isOperator
        }
    }
}
