import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// One side of a comparison.
    enum Operand {
        /// A column or SQL expression; the type is nil for computed ones.
        case value(sql: String, type: NSAttributeType?)
        /// The key of an object: of the row itself, or at the end of a to-one path.
        case object(key: String, entityNumber: String?, destination: SQLEntity)
        /// A to-many relationship of the row whose alias is given, with the rest of the path.
        case toMany(owner: String, SQLStorage, rest: String?)
        case constant(Any?)
        case collection([Any?])

        var sql: String {
            switch self {
            case .value(let sql, _), .object(let sql, _, _): sql
            case .toMany, .constant, .collection: ""
            }
        }
    }

    mutating func operand(_ expression: FoundationSupplement.NSExpression, _ scope: Scope) throws -> Operand {
        switch expression.expressionType {
        case .evaluatedObject:
            return own(root(scope))
        case .variable:
            guard let owner = owner(ofVariable: expression.variable, scope) else {
                throw CocoaError.request("the variable $\(expression.variable) has no value")
            }
            return own(owner)
        case .keyPath:
            return try keyPath(expression, scope)
        case .aggregate:
            let elements = expression.collection as? [FoundationSupplement.NSExpression] ?? []
            return .collection(try elements.map { try constant($0) })
        case .function:
            return try function(expression, scope)
        default:
            return .constant(try constant(expression))
        }
    }

    private func own(_ scope: Scope) -> Operand {
        let prefix = scope.alias.isEmpty ? "" : scope.alias + "."
        let number = scope.entity.hasSubentities || scope.entity.root != nil ? "\(prefix)Z_ENT" : nil
        return .object(key: "\(prefix)Z_PK", entityNumber: number, destination: scope.entity)
    }

    private func root(_ scope: Scope) -> Scope {
        var scope = scope
        while let parent = scope.parent { scope = parent }
        return scope
    }

    private func owner(ofVariable name: String, _ scope: Scope) -> Scope? {
        sequence(first: scope, next: \.parent).first { $0.variable == name }
    }

    private mutating func keyPath(_ expression: FoundationSupplement.NSExpression, _ scope: Scope) throws -> Operand {
        let start: Scope
        if expression.plainKeyPath != nil {
            start = scope.variable == nil ? scope : root(scope)
        } else if expression.operand.expressionType == .variable,
            let owner = owner(ofVariable: expression.operand.variable, scope)
        {
            start = owner
        } else if expression.operand.expressionType == .subquery, expression.keyPath == "@count" {
            return .value(sql: try subqueryCount(expression.operand, scope), type: nil)
        } else if isConstant(expression) {
            return .constant(try constant(expression))
        } else {
            throw CocoaError.request("Unsupported expression \(expression)")
        }
        guard let operand = try path(expression.keyPath, start) else {
            throw CocoaError.request(
                "keypath \(expression.keyPath) not found in entity \(start.entity.name)")
        }
        return operand
    }

    // MARK: Key paths

    /// Follows a key path from a table. Nil when there is no such property.
    mutating func path(_ text: String, _ scope: Scope, isSort: Bool = false) throws -> Operand? {
        var steps = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
        if steps.first == "SELF" || steps.first == "self" { steps.removeFirst() }
        var (entity, alias) = (scope.entity, scope.alias)
        var walked = ""
        while let step = steps.popFirst() {
            let prefix = alias.isEmpty ? "" : alias + "."
            if steps.isEmpty, step == "objectID" || step == "self" {
                return .object(
                    key: "\(prefix)Z_PK",
                    entityNumber: entity.hasSubentities ? "\(prefix)Z_ENT" : nil, destination: entity)
            }
            guard let slot = self.slot(step, entity) else { return nil }
            switch slot.entity.storage[slot.index] {
            case .column(let column):
                guard case .attribute(let attribute) = slot.entity.layout.kinds[slot.index] else { return nil }
                if let rest = steps.popFirst() {
                    guard rest == "length", steps.isEmpty, attribute.attributeType == .stringAttributeType else {
                        return nil
                    }
                    return .value(sql: "LENGTH(\(prefix)\(column.name))", type: nil)
                }
                return .value(sql: prefix + column.name, type: attribute.attributeType)
            case .composite:
                guard let element = slot.entity.storage[slot.index].element(steps),
                    case .column(let column) = element.storage
                else { return nil }
                return .value(sql: prefix + column.name, type: element.attribute.attributeType)
            case .toOne(let key, let number, _):
                guard case .toOne(let relationship) = slot.entity.layout.kinds[slot.index],
                    let destination = relationship.destinationEntity.flatMap(schema.entity)
                else { return nil }
                if steps.isEmpty || steps == ["objectID"] {
                    return .object(
                        key: prefix + key.name, entityNumber: number.map { prefix + $0.name }, destination: destination)
                }
                walked += "." + step
                (entity, alias) = (destination, try join(walked, prefix + key.name, destination, scope))
            case .toMany, .join:
                if isSort { throw CocoaError.request("to-many key not allowed here: \(text)") }
                let rest = steps.isEmpty ? nil : steps.joined(separator: ".")
                return .toMany(owner: alias, slot.entity.storage[slot.index], rest: rest)
            case .none:
                throw CocoaError.request(
                    "keypath \(text) can't be used in a fetch: '\(step)' of \(entity.name) is not stored")
            }
        }
        return own(scope)
    }

    /// A property of an entity, or, as Apple's stores allow, of one that inherits from it.
    private func slot(_ name: String, _ entity: SQLEntity) -> (entity: SQLEntity, index: Int)? {
        for number in entity.numbers {
            let candidate = schema.entities[number - 1]
            if let index = candidate.layout.slot(name) { return (candidate, index) }
        }
        return nil
    }

    private mutating func join(
        _ path: String, _ key: String, _ destination: SQLEntity, _ scope: Scope
    ) throws -> String {
        if let known = scope.joins.first(where: { $0.path == path }) { return known.alias }
        // SQLite joins 64 tables at the most.
        guard scope.joins.count < 60 else { throw CocoaError.request("more than 60 relationships in one request") }
        let alias = newAlias()
        // LEFT: a row without the object must stay for OR, NOT and `== nil`. SQLite itself turns it into an inner
        // join where the condition allows.
        let sql = "LEFT OUTER JOIN \(destination.table.name) \(alias) ON \(key) = \(alias).Z_PK"
        scope.joins.append((path, alias, destination, sql))
        return alias
    }

    // MARK: Constants

    /// Whether an expression has the same value for every row.
    func isConstant(_ expression: FoundationSupplement.NSExpression) -> Bool {
        switch expression.expressionType {
        case .constantValue: true
        case .keyPath: isConstant(expression.operand)
        case .function: isConstant(expression.operand) && (expression.arguments ?? []).allSatisfy(isConstant)
        case .aggregate: (expression.collection as? [FoundationSupplement.NSExpression] ?? []).allSatisfy(isConstant)
        default: false
        }
    }

    func constant(_ expression: FoundationSupplement.NSExpression) throws -> Any? {
        if expression.expressionType == .constantValue { return expression.constantValue }
        guard isConstant(expression) else { throw CocoaError.request("Unsupported expression \(expression)") }
        return try expression.evaluateThrowing(with: nil)
    }

    private mutating func function(_ expression: FoundationSupplement.NSExpression, _ scope: Scope) throws -> Operand {
        if isConstant(expression) { return .constant(try constant(expression)) }
        let arguments = expression.arguments ?? []
        let infix = ["add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/"]
        if let sign = infix[expression.function], arguments.count == 2 {
            let (left, right) = (try scalar(arguments[0], scope), try scalar(arguments[1], scope))
            // Apple's numbers divide as reals.
            let divisor = sign == "/" ? "CAST(\(right) AS REAL)" : right
            return .value(sql: "(\(left) \(sign) \(divisor))", type: nil)
        }
        let calls = [
            "length:": "LENGTH", "lowercase:": "NSCoreDataLowercase", "uppercase:": "NSCoreDataUppercase",
            "abs:": "ABS",
        ]
        if let name = calls[expression.function], arguments.count == 1 {
            return .value(sql: "\(name)(\(try scalar(arguments[0], scope)))", type: nil)
        }
        if expression.function == "noindex:", arguments.count == 1 {
            return .value(sql: "+\(try scalar(arguments[0], scope))", type: nil)
        }
        throw CocoaError.request("Unsupported function expression \(expression)")
    }

    private mutating func scalar(_ expression: FoundationSupplement.NSExpression, _ scope: Scope) throws -> String {
        switch try operand(expression, scope) {
        case .value(let sql, _): return sql
        case .constant(let value): return try bind(value)
        default: throw CocoaError.request("Unsupported function expression \(expression)")
        }
    }

    /// A parameter for a value. Numbered, since the order of the text is not the order in which it is made.
    mutating func bind(_ value: Any?) throws -> String {
        bindings.append(try SlotValue(constant: value))
        return "?\(bindings.count)"
    }
}

extension SlotValue {
    /// A constant of a predicate, by its own type.
    init(constant value: Any?) throws {
        switch value {
        case nil, is NSNull: self = .null
        case let text as String: self = .string(text)
        case let flag as Bool: self = .integer(flag ? 1 : 0)
        case let whole as Int: self = .integer(Int64(whole))
        case let real as Double: self = .real(real)
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let uuid as UUID: self = .uuid(uuid)
        case let url as URL: self = .uri(url)
        case let data as Data: self = .data(data)
        case let decimal as Decimal: self = .decimal(decimal)
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber: self = Self.number(number)
        case let whole as any BinaryInteger:
            self = Int64(exactly: whole).map { .integer($0) } ?? .real(Self.real(whole))
        case let real as any BinaryFloatingPoint: self = .real(Double(real))
        case let text as NSString: self = .string(String(text))
        default: throw CocoaError.request("a value of type \(type(of: value)) can't be compared with a stored one")
        }
    }

    private static func number(_ number: NSNumber) -> SlotValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
        // Larger than any stored integer: compared as a real, it is so too.
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }
}
