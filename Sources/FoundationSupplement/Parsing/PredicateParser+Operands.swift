extension PredicateParser {
    /// Reads an operand and what follows it directly: `.key`, `[index]`.
    mutating func parsePostfix() throws -> Node {
        var node = try parsePrimary()
        while true {
            if take(.dot) {
                node = try parsePathPart(after: node)
            } else if current.kind == .symbol(.leftBracket) {
                advance()
                node = try parseIndex(of: node)
            } else {
                return node
            }
        }
    }

    // MARK: After an operand

    /// Reads what follows a dot.
    private mutating func parsePathPart(after base: Node) throws -> Node {
        if case .variable(let name) = current.kind {
            advance()
            let key = NSExpression(forVariable: name)
            let target = try expression(of: base)
            return try node(
                NSExpression(storage: .function(name: "valueForKeyPath:", operand: target, [key])), over: [base],
                from: base.token)
        }
        if isCall { return try parseMethod(of: base) }
        // A path of many keys is put together once.
        var parts = [try parseKey()]
        while current.kind == .symbol(.dot), isKey(following), !isCall(at: index + 1) {
            advance()
            parts.append(try parseKey())
        }
        return try keyPath(parts.joined(separator: "."), after: base)
    }

    private var isCall: Bool { isCall(at: index) }

    /// Whether a function's or method's name with its arguments starts at a token.
    private func isCall(at place: Int) -> Bool {
        guard tokens[place].isIdentifier else { return false }
        return tokens[min(place + 1, tokens.count - 1)].kind == .symbol(.leftParenthesis)
            || selectorEnd(from: place) != nil
    }

    private func isKey(_ token: Token) -> Bool {
        switch token.kind {
        case .identifier, .escaped, .collectionOperator, .specifier(.keyPath), .specifier(.object): true
        default: false
        }
    }

    private mutating func parseKey() throws -> String {
        let start = index
        switch current.kind {
        case .identifier(let name), .escaped(let name):
            advance()
            return name
        case .collectionOperator(let name):
            advance()
            return "@" + name
        case .specifier(.keyPath), .specifier(.object):
            guard let path = try takeArgument(.keyPath) as? String, !path.isEmpty else {
                throw error("the key path is empty", at: start)
            }
            return path
        default:
            throw error("expected a key after \".\"")
        }
    }

    /// Adds a part to a key path, or starts one on the value of another expression.
    private func keyPath(_ part: String, after base: Node) throws -> Node {
        switch try expression(of: base).storage {
        case .keyPath(let operand, let path):
            let longer = NSExpression(storage: .keyPath(operand: operand, path: path + "." + part))
            // A longer path is no higher tree.
            return Node(content: .expression(longer), depth: base.depth, token: base.token)
        default:
            let expression = NSExpression(storage: .keyPath(operand: try expression(of: base), path: part))
            return try node(expression, over: [base], from: base.token)
        }
    }

    private mutating func parseMethod(of base: Node) throws -> Node {
        let name = parseFunctionName()
        let (arguments, nodes) = try parseArguments()
        let target = try expression(of: base)
        return try node(
            NSExpression(storage: .function(name: name, operand: target, arguments)), over: [base] + nodes,
            from: base.token)
    }

    private mutating func parseIndex(of base: Node) throws -> Node {
        let target = try expression(of: base)
        if let symbol = current.keyword.flatMap(SymbolicIndex.init), following.kind == .symbol(.rightBracket) {
            advance()
            advance()
            let arguments = [target, NSExpression(storage: .symbolicIndex(symbol))]
            return try node(
                NSExpression(storage: .function(name: "objectFrom:withIndex:", operand: nil, arguments)), over: [base],
                from: base.token)
        }
        let place = try parse(.assignment)
        let arguments = [target, try expression(of: place)]
        try expect(.rightBracket)
        return try node(
            NSExpression(storage: .function(name: "objectFrom:withIndex:", operand: nil, arguments)),
            over: [base, place], from: base.token)
    }

    // MARK: Operands

    private mutating func parsePrimary() throws -> Node {
        let start = index
        switch current.kind {
        case .string(let text):
            advance()
            return try node(NSExpression(forConstantValue: text), from: start)
        case .number(let literal):
            advance()
            return try node(NSExpression(forConstantValue: literal.constant(negated: false)), from: start)
        case .variable(let name):
            advance()
            return try node(NSExpression(forVariable: name), from: start)
        case .escaped(let name):
            advance()
            return try node(NSExpression(forKeyPath: name), from: start)
        case .collectionOperator(let name):
            advance()
            return try node(NSExpression(forKeyPath: "@" + name), from: start)
        case .specifier(let specifier):
            return try parseSpecifier(specifier)
        case .identifier(let name):
            return try parseWord(name)
        case .symbol(.leftParenthesis):
            advance()
            let inner = try parse(.or)
            try expect(.rightParenthesis)
            return inner
        case .symbol(.leftBrace):
            advance()
            let (elements, nodes) = try parseList(until: .rightBrace)
            return try node(NSExpression(forAggregate: elements), over: nodes, from: start)
        case .end:
            throw error("unexpected end")
        case .symbol:
            throw error("expected an expression")
        }
    }

    private mutating func parseSpecifier(_ specifier: FormatSpecifier) throws -> Node {
        let start = index
        let value = try takeArgument(specifier)
        switch specifier {
        case .keyPath:
            let path = value as? String ?? ""
            if path.isEmpty { throw error("the key path is empty", at: start) }
            return try node(NSExpression(forKeyPath: path), from: start)
        case .object:
            if let expression = value as? NSExpression { return try node(expression, from: start) }
            fallthrough
        default:
            return try node(NSExpression(forConstantValue: value), from: start)
        }
    }

    private mutating func takeArgument(_ specifier: FormatSpecifier) throws -> Any? {
        do {
            let value = try arguments.constant(for: specifier)
            advance()
            return value
        } catch let problem as FormatArguments.Problem {
            throw error(problem.reason)
        }
    }

    // MARK: Words

    private mutating func parseWord(_ name: String) throws -> Node {
        let start = index
        if let word = current.keyword {
            if following.kind == .symbol(.leftParenthesis), let node = try parseForm(word) { return node }
            if let expression = Self.constant(word) {
                advance()
                return try node(expression, from: start)
            }
            if word == "TRUEPREDICATE" || word == "FALSEPREDICATE" {
                advance()
                return try node(NSPredicate(value: word == "TRUEPREDICATE"), over: [], from: start)
            }
            if ReservedWords.all.contains(word), selectorEnd(from: index) == nil {
                throw error("\"\(name)\" is a reserved word; write #\(name) for a key of this name")
            }
        }
        if isCall {
            let function = parseFunctionName()
            let (arguments, nodes) = try parseArguments()
            let canonical = BuiltInFunction.canonicalName(function)
            return try node(
                NSExpression(storage: .function(name: canonical, operand: nil, arguments)), over: nodes, from: start)
        }
        advance()
        return try node(NSExpression(forKeyPath: name), from: start)
    }

    private static func constant(_ word: String) -> NSExpression? {
        switch word {
        case "TRUE", "YES": NSExpression(forConstantValue: true)
        case "FALSE", "NO": NSExpression(forConstantValue: false)
        case "NULL", "NIL": NSExpression(forConstantValue: nil)
        case "SELF": .expressionForEvaluatedObject()
        case "ANYKEY": .expressionForAnyKey()
        default: nil
        }
    }

    /// Where the "(" is when the words of a method's name, `a:b:`, start at a token.
    private func selectorEnd(from start: Int) -> Int? {
        var place = start
        while place + 1 < tokens.count, tokens[place].isIdentifier, tokens[place + 1].kind == .symbol(.colon),
            tokens[place + 1].start == tokens[place].end
        {
            place += 2
        }
        return place > start && tokens[place].kind == .symbol(.leftParenthesis) ? place : nil
    }

    /// Takes a function's name, with or without colons.
    private mutating func parseFunctionName() -> String {
        let end = selectorEnd(from: index) ?? index + 1
        var name = ""
        while index < end {
            if case .identifier(let word) = current.kind { name += word } else { name += ":" }
            advance()
        }
        return name
    }

    private mutating func parseArguments() throws -> ([NSExpression], [Node]) {
        try expect(.leftParenthesis)
        return try parseList(until: .rightParenthesis)
    }

    private mutating func parseList(until end: Token.Symbol) throws -> ([NSExpression], [Node]) {
        var expressions: [NSExpression] = []
        var nodes: [Node] = []
        if take(end) { return ([], []) }
        repeat {
            let node = try parse(.assignment)
            expressions.append(try expression(of: node))
            nodes.append(node)
        } while take(.comma)
        try expect(end)
        return (expressions, nodes)
    }
}
