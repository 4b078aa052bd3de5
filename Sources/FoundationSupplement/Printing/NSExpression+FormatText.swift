/// How other targets' expressions print, such as CoreData's fetch expression.
package protocol CustomExpressionText {
    var customFormatText: String { get }
}

extension NSExpression {
    /// The text of the expression in Apple's form.
    package var formatText: String {
        if let custom = self as? any CustomExpressionText { return custom.customFormatText }
        switch storage {
        case .constant(let value): return ConstantText.text(of: value)
        case .evaluatedObject: return "SELF"
        case .variable(let name): return "$" + name
        case .keyPath(let operand, let path): return Self.text(of: path, on: operand)
        case .function(let name, let operand, let arguments):
            return Self.text(ofFunction: name, on: operand, arguments)
        case .set(let operation, let left, let right):
            return "\(left.textAsOperand) \(operation.rawValue) \(right.textAsOperand)"
        case .subquery(let collection, let variable, let predicate):
            return "SUBQUERY(\(collection.formatText), $\(variable), \(predicate.formatText))"
        case .aggregate(let elements): return "{" + Self.list(elements) + "}"
        case .anyKey: return "ANYKEY"
        case .block(_, let arguments): return "BLOCK(\(Self.list(arguments)))"
        case .conditional(let predicate, let yes, let no):
            return "TERNARY(\(predicate.formatText), \(yes.formatText), \(no.formatText))"
        case .symbolicIndex(let index): return index.rawValue
        case .assignment(let name, let value): return "$\(name) := \(value.textAsOperand)"
        case .fetch(let request, let context, let countOnly):
            return "FETCH(\(request.formatText), \(context.formatText), \(countOnly ? "YES" : "NO"))"
        }
    }

    private static func list(_ expressions: [NSExpression]) -> String {
        expressions.map(\.formatText).joined(separator: ", ")
    }

    // MARK: Operators

    /// The operators that functions print as.
    private static let infix = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
        "bitwiseAnd:with:": "&", "bitwiseOr:with:": "|", "bitwiseXor:with:": "^", "leftshift:by:": "<<",
        "rightshift:by:": ">>",
    ]

    private static func text(ofFunction name: String, on operand: NSExpression?, _ arguments: [NSExpression]) -> String
    {
        if let operand { return text(ofMethod: name, on: operand, arguments) }
        if arguments.count == 2 {
            if let symbol = infix[name] {
                return "\(arguments[0].textAsOperand) \(symbol) \(arguments[1].textAsOperand)"
            }
            if name == "objectFrom:withIndex:" {
                return "\(arguments[0].textAsBase(of: .index))[\(arguments[1].formatText)]"
            }
            if name == "castObject:toType:" { return "CAST(\(list(arguments)))" }
        }
        if name == "onesComplement:", arguments.count == 1 { return "~" + arguments[0].textAsOperand }
        return "\(name)(\(list(arguments)))"
    }

    private static func text(ofMethod name: String, on operand: NSExpression, _ arguments: [NSExpression]) -> String {
        if name == "valueForKeyPath:", arguments.count == 1, case .variable(let variable) = arguments[0].storage {
            return "\(operand.textAsBase(of: .key)).$\(variable)"
        }
        let start = "FUNCTION(\(operand.formatText), \(ConstantText.quoted(name))"
        // The space before the comma is Apple's.
        return arguments.isEmpty ? start + ")" : start + " , \(list(arguments)))"
    }

    /// Apple's parentheses round operators inside operators aren't known; with all of them the text means the same.
    private var textAsOperand: String {
        isOperator ? "(\(formatText))" : formatText
    }

    private var isOperator: Bool {
        switch storage {
        case .function(let name, nil, let arguments):
            arguments.count == 2 && Self.infix[name] != nil || name == "onesComplement:"
        case .set, .assignment: true
        default: false
        }
    }

    // MARK: Key paths

    private enum Follower {
        case key, index
    }

    private static func text(of path: String, on operand: NSExpression?) -> String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        let text = parts.map { ReservedWords.needsEscape(String($0)) ? "#" + $0 : String($0) }.joined(separator: ".")
        guard let operand else { return text }
        return operand.textAsBase(of: .key) + "." + text
    }

    /// The text with a key or an index behind it.
    private func textAsBase(of follower: Follower) -> String {
        switch storage {
        case .keyPath(let operand, let path):
            // Apple's `a.d[0]` means something else than `(a.d)[0]`, and `(a.b).c` isn't `a.b.c` here.
            return follower == .key || operand != nil || path.contains(".") ? "(\(formatText))" : formatText
        case .constant(let value):
            if case .string = PredicateValue(value) { return formatText }
            return "(\(formatText))"
        case _ where isOperator: return "(\(formatText))"
        default: return formatText
        }
    }
}
