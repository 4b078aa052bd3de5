extension PredicateParser {
    /// Reads `SUBQUERY(…)` and the other forms that look like calls but have a grammar of their own. The current token
    /// is the word, and a "(" follows.
    mutating func parseForm(_ word: String) throws -> Node? {
        switch word {
        case "SUBQUERY": try parseSubquery()
        case "TERNARY": try parseTernary()
        case "CAST": try parseCast()
        case "FUNCTION": try parseFunction()
        case "FETCH": try parseFetch()
        default: nil
        }
    }

    /// Takes the word and its parenthesis.
    private mutating func open() throws -> Int {
        let start = index
        advance()
        try expect(.leftParenthesis)
        return start
    }

    private mutating func argument() throws -> (NSExpression, Node) {
        let node = try parse(.assignment)
        return (try expression(of: node), node)
    }

    private mutating func parseSubquery() throws -> Node {
        let start = try open()
        let (collection, collectionNode) = try argument()
        try expect(.comma)
        guard case .variable(let variable) = current.kind else { throw error("expected a variable") }
        advance()
        try expect(.comma)
        let condition = try parse(.or)
        let predicate = try predicate(of: condition)
        try expect(.rightParenthesis)
        let expression = NSExpression(
            forSubquery: collection, usingIteratorVariable: variable, predicate: predicate)
        return try node(expression, over: [collectionNode, condition], from: start)
    }

    private mutating func parseTernary() throws -> Node {
        let start = try open()
        let condition = try parse(.or)
        let predicate = try self.condition(of: condition)
        try expect(.comma)
        let (trueExpression, trueNode) = try argument()
        try expect(.comma)
        let (falseExpression, falseNode) = try argument()
        try expect(.rightParenthesis)
        let expression = NSExpression(
            forConditional: predicate, trueExpression: trueExpression, falseExpression: falseExpression)
        return try node(expression, over: [condition, trueNode, falseNode], from: start)
    }

    /// The predicate of a TERNARY, which may also be an argument, `%@`.
    private func condition(of node: Node) throws -> NSPredicate {
        if case .expression(let expression) = node.content, case .constant(let value?) = expression.storage,
            let predicate = value as? NSPredicate
        {
            return predicate
        }
        return try predicate(of: node)
    }

    private mutating func parseCast() throws -> Node {
        let start = try open()
        let (value, valueNode) = try argument()
        try expect(.comma)
        let type = try takeString()
        try expect(.rightParenthesis)
        if let date = Self.date(value, type) { return try node(NSExpression(forConstantValue: date), from: start) }
        let arguments = [value, NSExpression(forConstantValue: type)]
        return try node(
            NSExpression(storage: .function(name: "castObject:toType:", operand: nil, arguments)), over: [valueNode],
            from: start)
    }

    /// The date that the cast of a number is. It is how the language writes a constant date.
    private static func date(_ value: NSExpression, _ type: String) -> Date? {
        guard type == "NSDate", case .constant(let constant?) = value.storage,
            case .number(let seconds) = PredicateValue(constant)
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds.double)
    }

    private mutating func takeString() throws -> String {
        switch current.kind {
        case .string(let text):
            advance()
            return text
        case .specifier(.object):
            // The name may come as an argument.
            let (expression, _) = try argument()
            if case .constant(let value?) = expression.storage, let text = value as? String { return text }
            throw error("expected a string")
        default:
            throw error("expected a string")
        }
    }

    private mutating func parseFunction() throws -> Node {
        let start = try open()
        let (target, targetNode) = try argument()
        try expect(.comma)
        let selector = try takeString()
        var arguments: [NSExpression] = []
        var nodes = [targetNode]
        while take(.comma) {
            let (expression, node) = try argument()
            arguments.append(expression)
            nodes.append(node)
        }
        try expect(.rightParenthesis)
        let expression = NSExpression(storage: .function(name: selector, operand: target, arguments))
        return try node(expression, over: nodes, from: start)
    }

    private mutating func parseFetch() throws -> Node {
        let start = try open()
        let (request, requestNode) = try argument()
        try expect(.comma)
        let (context, contextNode) = try argument()
        try expect(.comma)
        let place = index
        let (flag, _) = try argument()
        guard case .constant(let value?) = flag.storage, case .number(let number) = PredicateValue(value) else {
            throw error("expected YES or NO", at: place)
        }
        try expect(.rightParenthesis)
        let expression = FetchExpressionFactory.make(request, context, number.double != 0)
        return try node(expression, over: [requestNode, contextNode], from: start)
    }
}
