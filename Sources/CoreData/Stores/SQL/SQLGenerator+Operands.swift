import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    typealias Expression = FoundationSupplement.NSExpression

    /// What an expression is in SQL.
    enum Operand {
        /// A column or an SQL expression; the type is nil where it can't be known.
        case value(sql: String, type: NSAttributeType?)
        /// The key of an object: of the row itself, or at the end of a to-one path.
        case object(key: String, destination: SQLEntity)
        /// The number of an object's entity.
        case entity(number: String)
        case toMany(Collection)
        case constant(Any?)
        case collection([Operand])
        /// The keys that a `SELECT` finds.
        case fetched(sql: String, SQLEntity)

        /// The SQL of an operand that is one value of a row; empty for others.
        var sql: String {
            switch self {
            case .value(let sql, _), .object(let sql, _), .entity(let sql): sql
            case .toMany, .constant, .collection, .fetched: ""
            }
        }

        /// Whether the operand is the same for every row.
        var isConstant: Bool {
            switch self {
            case .constant: true
            case .collection(let elements): elements.allSatisfy(\.isConstant)
            case .value, .object, .entity, .toMany, .fetched: false
            }
        }
    }

    /// - Throws: an error with code 134060 for what SQL can't say.
    mutating func operand(_ expression: Expression, _ scope: Scope) throws -> Operand {
        try descend { generator in try generator.operandAtDepth(expression, scope) }
    }

    private mutating func operandAtDepth(_ expression: Expression, _ scope: Scope) throws -> Operand {
        if isConstant(expression) { return .constant(try constant(expression)) }
        switch expression.storage {
        case .evaluatedObject: return own(outermost(scope), in: scope)
        case .variable(let name):
            if let column = columnOperands[name] { return column }
            return own(try owner(ofVariable: name, scope), in: scope)
        case .keyPath(let start, let path): return try keyPath(start, path, scope)
        case .aggregate(let elements): return .collection(try elements.map { try operand($0, scope) })
        case .function(let name, nil, let arguments): return try function(name, arguments, expression, scope)
        case .subquery(let collection, let variable, let predicate):
            return .toMany(try subquery(collection, variable, predicate, scope))
        case .conditional(let predicate, let yes, let no): return try conditional(predicate, yes, no, scope)
        case .fetch(let request, _, let countsOnly): return try fetched(request, countsOnly: countsOnly)
        case .constant, .function, .set, .anyKey, .block, .symbolicIndex, .assignment: throw unsupported(expression)
        }
    }

    func unsupported(_ expression: Expression) -> CocoaError {
        let isFunction = expression.expressionType == .function
        return CocoaError.request("Unsupported \(isFunction ? "function expression" : "expression") \(expression)")
    }

    // MARK: The row itself

    /// The object of a scope's row, as seen from `inner`, which is that scope or one within it.
    private func own(_ scope: Scope, in inner: Scope) -> Operand {
        inner.noteUse(of: scope)
        return .object(key: scope.key, destination: scope.entity)
    }

    private func outermost(_ scope: Scope) -> Scope {
        var scope = scope
        while let parent = scope.parent { scope = parent }
        return scope
    }

    private func owner(ofVariable name: String, _ scope: Scope) throws -> Scope {
        guard let owner = sequence(first: scope, next: \.parent).first(where: { $0.variables.contains(name) }) else {
            throw CocoaError.request("Can't get value for '\(name)' in bindings")
        }
        return owner
    }

    private mutating func keyPath(_ start: Expression?, _ path: String, _ scope: Scope) throws -> Operand {
        switch start?.storage {
        case nil, .evaluatedObject: return try property(path, of: outermost(scope), in: scope)
        case .variable(let name): return try property(path, of: owner(ofVariable: name, scope), in: scope)
        default:
            guard let start, case .toMany(let collection) = try operand(start, scope) else {
                throw CocoaError.request("Unsupported expression \(start.map { "\($0)." } ?? "")\(path)")
            }
            return try property(path, ofElements: collection, scope)
        }
    }

    private mutating func property(_ path: String, of owner: Scope, in scope: Scope) throws -> Operand {
        scope.noteUse(of: owner)
        guard let operand = try self.path(path, owner) else { throw missing(path, owner.entity) }
        guard case .toMany(let collection) = operand else { return operand }
        return try aggregated(collection, scope)
    }

    private mutating func property(_ path: String, ofElements source: Collection, _ scope: Scope) throws -> Operand {
        var collection = source
        collection.rest = source.rest.map { "\($0).\(path)" } ?? path
        return try aggregated(collection, scope)
    }

    // MARK: Constants

    /// More levels would overflow SQLite's parser, and at last the stack.
    private static let deepest = 250

    /// Goes one level down, in predicates and expressions alike.
    mutating func descend<R>(_ body: (inout SQLGenerator) throws -> R) throws -> R {
        guard depth < Self.deepest else { throw CocoaError.request("a predicate of more than \(Self.deepest) levels") }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Whether an expression has the same value for every row. What is too deep to tell isn't constant.
    func isConstant(_ expression: Expression, levels: Int = deepest) -> Bool {
        guard levels > 0 else { return false }
        let isSame = { (inner: Expression) in isConstant(inner, levels: levels - 1) }
        return switch expression.storage {
        case .constant, .symbolicIndex: true
        case .keyPath(let start?, _): isSame(start)
        case .function(_, let target, let arguments): target.map(isSame) ?? true && arguments.allSatisfy(isSame)
        case .aggregate(let elements): elements.allSatisfy(isSame)
        case .set(_, let left, let right): isSame(left) && isSame(right)
        default: false
        }
    }

    func constant(_ expression: Expression) throws -> Any? {
        if case .constant(let value) = expression.storage { return value }
        return try expression.evaluateThrowing(with: nil)
    }

    /// The elements of a list, as operands; nil for what is no list.
    func elements(_ operand: Operand) -> [Operand]? {
        switch operand {
        case .collection(let list): list
        case .constant(let value): collectionElements(of: value)?.map { .constant($0) }
        case .value, .object, .entity, .toMany, .fetched: nil
        }
    }

    /// A parameter for a value. Numbered, since the order of the text is not the order in which it is made.
    mutating func bind(_ value: SlotValue) -> String {
        bindings.append(value)
        return "?\(bindings.count)"
    }

    mutating func bind(_ value: Any?) throws -> String { bind(try SlotValue(constant: value)) }
}

extension SlotValue {
    /// A constant of a predicate, by its own type.
    init(constant value: Any?) throws {
        switch PredicateValue(value) {
        case .null: self = .null
        case .number(.integer(let number)): self = .integer(number)
        case .number(.real(let number)): self = .real(number)
        case .number(.decimal(let number)):
            // Whole ones compare exactly with integers as integers only.
            let whole = Int64("\(number)")
            self = whole.map { .integer($0) } ?? .decimal(number)
        case .string(let text): self = .string(text)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        case .other(let uuid as UUID): self = .uuid(uuid)
        case .other(let url as URL): self = .uri(url)
        case .other(let data as Data): self = .data(data)
        case .other(let other):
            throw CocoaError.request("a value of type \(type(of: other)) can't be compared with a stored one")
        }
    }

    /// The attribute type whose values are of this kind.
    var attributeType: NSAttributeType? {
        switch self {
        case .integer: .integer64AttributeType
        case .real: .doubleAttributeType
        case .decimal: .decimalAttributeType
        case .string: .stringAttributeType
        case .date: .dateAttributeType
        case .uuid: .UUIDAttributeType
        case .uri: .URIAttributeType
        case .data: .binaryDataAttributeType
        case .null, .composite, .external, .transformed, .reference, .object, .toMany, .fetched: nil
        }
    }
}
