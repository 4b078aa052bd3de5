/// Reads the text of a predicate or an expression.
///
/// "(" may open a predicate or an expression, and only what follows its ")" tells which. Trying one and then the other
/// takes exponential time on nested input, so one grammar reads both: a ``Node`` is a predicate or an expression, and
/// each operator asks for the kind that it needs. Operators are read by precedence climbing.
struct PredicateParser {
    /// What has been read: a predicate or an expression.
    struct Node {
        enum Content {
            case predicate(NSPredicate)
            case expression(NSExpression)
        }

        let content: Content
        /// The height of the tree. It is bounded, for evaluation, printing and release of a tree recurse.
        let depth: Int
        /// The first token, for messages.
        let token: Int
    }

    /// The heights of trees and the nesting of the text that are accepted. Both are far beyond what people write and
    /// far below what overflows the stack of a thread. One level of a tree prints as two levels of text at most (the
    /// right operand of an operator, in parentheses), so that what was accepted can be read again.
    static let maximumDepth = 100
    static let maximumNesting = 2 * maximumDepth + 10

    let format: String
    let tokens: [Token]
    var arguments: FormatArguments
    var index = 0
    private var nesting = 0

    /// A parser for a text.
    ///
    /// - Throws: ``PredicateFormatError`` when the text can't be cut into tokens.
    init(_ format: String, arguments: [Any?]) throws {
        self.format = format
        self.arguments = FormatArguments(arguments)
        var tokenizer = Tokenizer(format)
        tokens = try tokenizer.tokens()
    }

    /// The text as a predicate.
    mutating func predicate() throws -> NSPredicate {
        if current.kind == .end { throw error("the text is empty") }
        let node = try parse(.or)
        let predicate = try predicate(of: node)
        try expectEnd()
        return predicate
    }

    /// The text as an expression.
    mutating func expression() throws -> NSExpression {
        if current.kind == .end { throw error("the text is empty") }
        let node = try parse(.assignment)
        let expression = try expression(of: node)
        try expectEnd()
        return expression
    }

    // MARK: Tokens

    var current: Token { tokens[index] }

    /// The token after the current one; the end repeats itself.
    var following: Token { tokens[min(index + 1, tokens.count - 1)] }

    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
    }

    /// Takes the symbol if it is the current token.
    mutating func take(_ symbol: Token.Symbol) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: Token.Symbol) throws {
        guard take(symbol) else { throw error("expected \"\(symbol.rawValue)\"") }
    }

    private func expectEnd() throws {
        if current.kind != .end { throw error("unexpected text after the end") }
    }

    /// The error for the current token, or for another.
    func error(_ reason: String, at token: Int? = nil) -> PredicateFormatError {
        Tokenizer.error(format, at: tokens[token ?? index].start, reason)
    }

    // MARK: Nodes

    func predicate(of node: Node) throws -> NSPredicate {
        switch node.content {
        case .predicate(let predicate): return predicate
        case .expression: throw error("expected a comparison operator")
        }
    }

    func expression(of node: Node) throws -> NSExpression {
        switch node.content {
        case .expression(let expression): return expression
        case .predicate: throw error("expected an expression, not a predicate", at: node.token)
        }
    }

    func node(_ expression: NSExpression, over children: [Node] = [], from token: Int) throws -> Node {
        try node(.expression(expression), over: children, from: token)
    }

    func node(_ predicate: NSPredicate, over children: [Node], from token: Int) throws -> Node {
        try node(.predicate(predicate), over: children, from: token)
    }

    private func node(_ content: Node.Content, over children: [Node], from token: Int) throws -> Node {
        let depth = 1 + (children.map(\.depth).max() ?? 0)
        if depth > Self.maximumDepth { throw error("the text is nested too deeply") }
        return Node(content: content, depth: depth, token: token)
    }

    // MARK: Precedence climbing

    /// Reads an operand and all operators after it that bind at least as tightly as `minimum`.
    mutating func parse(_ minimum: Precedence) throws -> Node {
        nesting += 1
        defer { nesting -= 1 }
        if nesting > Self.maximumNesting { throw error("the text is nested too deeply") }
        var left = try parsePrefix()
        while let binary = binaryOperator(), binary.precedence >= minimum {
            left = try parse(binary, after: left)
        }
        return left
    }

    private mutating func parse(_ binary: BinaryOperator, after left: Node) throws -> Node {
        switch binary {
        case .logical(let type): return try parseCompound(type, after: left)
        case .comparison: return try parseComparison(.direct, after: left, from: left.token)
        case .assignment: return try parseAssignment(to: left)
        case .set(let operation):
            advance()
            let right = try parse(.bits)
            let expression = NSExpression(storage: .set(operation, try expression(of: left), try expression(of: right)))
            return try node(expression, over: [left, right], from: left.token)
        case .function(let function, let precedence):
            advance()
            let right = try parse(precedence.next)
            // The function reads "from x subtract y" only in its name: its arguments are in the order of the text.
            let operands = [try expression(of: left), try expression(of: right)]
            let expression = NSExpression(storage: .function(name: function, operand: nil, operands))
            return try node(expression, over: [left, right], from: left.token)
        }
    }

    /// Reads all the operands that the same logical operator joins into one compound.
    private mutating func parseCompound(_ type: NSCompoundPredicate.LogicalType, after left: Node) throws -> Node {
        var nodes = [left]
        var predicates = [try predicate(of: left)]
        while case .logical(type)? = binaryOperator() {
            advance()
            let node = try parse(type == .and ? .comparison : .and)
            predicates.append(try predicate(of: node))
            nodes.append(node)
        }
        return try node(NSCompoundPredicate(type: type, subpredicates: predicates), over: nodes, from: left.token)
    }

    private mutating func parseAssignment(to left: Node) throws -> Node {
        guard case .variable(let name) = try expression(of: left).storage else {
            throw error("only a variable can be assigned to")
        }
        advance()
        let value = try parse(.set)
        let expression = NSExpression(storage: .assignment(name, try expression(of: value)))
        return try node(expression, over: [left, value], from: left.token)
    }

    /// Reads NOT, the quantifiers and the signs, or else an operand.
    private mutating func parsePrefix() throws -> Node {
        let start = index
        if let quantifier = quantifier() { return try parseQuantified(quantifier) }
        if current.keyword == "NOT" || current.kind == .symbol(.not) {
            advance()
            let operand = try parse(.comparison)
            let predicate = NSCompoundPredicate(notPredicateWithSubpredicate: try predicate(of: operand))
            return try node(predicate, over: [operand], from: start)
        }
        if take(.minus) { return try parseNegative(from: start) }
        if take(.complement) {
            let operand = try parse(.sign)
            let expression = NSExpression(
                storage: .function(name: "onesComplement:", operand: nil, [try expression(of: operand)]))
            return try node(expression, over: [operand], from: start)
        }
        return try parsePostfix()
    }

    private mutating func parseNegative(from start: Int) throws -> Node {
        if case .number(let literal) = current.kind {
            advance()
            return try node(NSExpression(forConstantValue: literal.constant(negated: true)), from: start)
        }
        let operand = try parse(.sign)
        let factors = [try expression(of: operand), NSExpression(forConstantValue: -1)]
        return try node(
            NSExpression(storage: .function(name: "multiply:by:", operand: nil, factors)), over: [operand], from: start)
    }

    // MARK: Comparisons

    private enum Quantifier {
        case any, all, none
    }

    private func quantifier() -> Quantifier? {
        switch current.keyword {
        case "ANY", "SOME": .any
        case "ALL": .all
        case "NONE": Optional.some(.none)
        default: nil
        }
    }

    private mutating func parseQuantified(_ quantifier: Quantifier) throws -> Node {
        let start = index
        advance()
        let left = try parse(.assignment)
        guard comparisonOperator() != nil else { throw error("expected a comparison operator") }
        let comparison = try parseComparison(quantifier == .all ? .all : .any, after: left, from: start)
        guard quantifier == .none else { return comparison }
        // There is no modifier for NONE: it is the opposite of ANY.
        let predicate = NSCompoundPredicate(notPredicateWithSubpredicate: try predicate(of: comparison))
        return try node(predicate, over: [comparison], from: start)
    }

    private mutating func parseComparison(
        _ modifier: NSComparisonPredicate.Modifier, after left: Node, from start: Int
    ) throws -> Node {
        guard let comparison = comparisonOperator() else { throw error("expected a comparison operator") }
        let leftExpression = try expression(of: left)
        index += comparison.tokenCount
        let options = try parseOptions()
        let right = try parse(.assignment)
        let rightExpression = try expression(of: right)
        let predicate: NSPredicate
        if let selector = comparison.selector {
            guard modifier == .direct else { throw error("a method can't be combined with ANY or ALL", at: start) }
            predicate = NSComparisonPredicate(
                leftExpression: leftExpression, rightExpression: rightExpression, customSelector: selector)
        } else {
            predicate = NSComparisonPredicate(
                leftExpression: leftExpression, rightExpression: rightExpression, modifier: modifier,
                type: comparison.type, options: options)
        }
        return try node(predicate, over: [left, right], from: start)
    }

    /// Reads `[cd]` after an operator, if it is there.
    private mutating func parseOptions() throws -> NSComparisonPredicate.Options {
        guard take(.leftBracket) else { return [] }
        guard case .identifier(let letters) = current.kind else { throw error("expected the letters of options") }
        var options: NSComparisonPredicate.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw error("\"\(letter)\" is not an option")
            }
        }
        advance()
        try expect(.rightBracket)
        return options
    }
}
