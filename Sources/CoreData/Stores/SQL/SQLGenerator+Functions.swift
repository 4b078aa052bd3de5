import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// The SQL of an expression that is one value: arithmetic, functions, to-one paths, aggregates over a to-many
    /// relationship. Constants are bound.
    ///
    /// - Throws: an error with code 134060 when it isn't one value, or SQL can't say it.
    mutating func scalar(_ expression: Expression, _ scope: Scope) throws -> String {
        try typedScalar(expression, scope).sql
    }

    /// The SQL of one value, and its type where that is known.
    mutating func typedScalar(
        _ expression: Expression, _ scope: Scope
    ) throws -> (sql: String, type: NSAttributeType?) {
        guard let scalar = try scalar(operand(expression, scope)) else { throw unsupported(expression) }
        return scalar
    }

    /// Nil for what isn't one value.
    mutating func scalar(_ operand: Operand) throws -> (sql: String, type: NSAttributeType?)? {
        switch operand {
        case .value(let sql, let type): return (sql, type)
        case .object(let sql, _), .entity(let sql): return (sql, nil)
        case .constant(let value):
            let slot = try SlotValue(constant: value)
            return (bind(slot), slot.attributeType)
        case .toMany, .collection, .fetched: return nil
        }
    }

    // MARK: Functions

    mutating func function(
        _ name: String, _ arguments: [Expression], _ expression: Expression, _ scope: Scope
    ) throws -> Operand {
        if let aggregate = try rowsAggregate(expression, scope) { return aggregate }
        let operands = try arguments.map { try operand($0, scope) }
        if operands.count == 1, case .toMany(let collection) = operands[0] {
            return try aggregate(function: name, collection, expression, scope)
        }
        if operands.count == 1, let list = elements(operands[0]) {
            return try call(name, list, expression)
        }
        switch name {
        case "noindex:":
            guard operands.count == 1 else { throw unsupported(expression) }
            return try unindexed(operands[0], expression)
        case "add:to:", "from:subtract:", "multiply:by:", "divide:by:":
            guard operands.count == 2 else { throw unsupported(expression) }
            return try arithmetic(name, operands[0], operands[1], expression)
        default:
            guard SQLFunctions.Computed(name)?.isAggregate == false else { throw unsupported(expression) }
            return try call(name, operands, expression)
        }
    }

    private mutating func unindexed(_ operand: Operand, _ expression: Expression) throws -> Operand {
        switch operand {
        case .value(let sql, let type): .value(sql: "+\(sql)", type: type)
        case .object(let key, let destination): .object(key: "+\(key)", destination: destination)
        default: throw unsupported(expression)
        }
    }

    private mutating func arithmetic(
        _ name: String, _ left: Operand, _ right: Operand, _ expression: Expression
    ) throws -> Operand {
        guard let a = try scalar(left), let b = try scalar(right) else { throw unsupported(expression) }
        let families = [a.type, b.type].map { $0.flatMap(ValueFamily.init) }
        guard families.allSatisfy({ $0 == nil || $0 == .number || $0 == .date }) else { throw unsupported(expression) }
        let signs = ["add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/"]
        guard let sign = signs[name] else { throw unsupported(expression) }
        let plain = "(\(a.sql) \(sign) \(b.sql))"
        if families.contains(.date) {
            // Seconds, as the store has them: the difference of two dates is a number.
            guard sign == "+" || sign == "-" else { throw unsupported(expression) }
            let isDate = !families.allSatisfy { $0 == .date }
            return .value(sql: plain, type: isDate ? .dateAttributeType : .doubleAttributeType)
        }
        switch (a.type, b.type) {
        case (let x?, let y?) where x.isInteger && y.isInteger: return .value(sql: plain, type: .integer64AttributeType)
        // Decimals are exact, a store's numbers aren't. Zero divides only in memory's arithmetic.
        case (.decimalAttributeType, _), (_, .decimalAttributeType): return try call(name, [left, right], expression)
        case _ where sign == "/": return try call(name, [left, right], expression)
        case (let x?, let y?) where !x.isInteger || !y.isInteger:
            return .value(sql: plain, type: .doubleAttributeType)
        default: return .value(sql: plain, type: nil)
        }
    }

    /// A function that is computed as in memory.
    private mutating func call(_ name: String, _ operands: [Operand], _ expression: Expression) throws -> Operand {
        guard let function = SQLFunctions.Computed(name) else { throw unsupported(expression) }
        var signature = ""
        var arguments: [String] = []
        for operand in operands {
            guard let argument = try scalar(operand) else { throw unsupported(expression) }
            signature.append(SQLFunctions.Argument(argument.type).rawValue)
            arguments.append(argument.sql)
        }
        var type = function.resultType(operands.map { valueType(of: $0) })
        if name == "castObject:toType:", operands.count == 2, case .constant(let target) = operands[1] {
            type = Self.castTypes["\(target ?? "")"] ?? nil
        }
        let name = bind(.string("\(signature) \(name)"))
        return .value(
            sql: "NSCoreDataFunction(\(([name] + arguments).joined(separator: ", ")))", type: type)
    }

    private static let castTypes: [String: NSAttributeType?] = [
        "NSDate": .dateAttributeType, "NSNumber": .doubleAttributeType, "NSDecimalNumber": .decimalAttributeType,
        "NSString": .stringAttributeType, "NSUUID": .UUIDAttributeType, "NSURL": .URIAttributeType,
    ]

    func valueType(of operand: Operand) -> NSAttributeType? {
        switch operand {
        case .value(_, let type): type
        case .constant(let value): (try? SlotValue(constant: value))?.attributeType
        default: nil
        }
    }

    // MARK: Conditions as values

    mutating func conditional(
        _ predicate: NSPredicate, _ yes: Expression, _ no: Expression, _ scope: Scope
    ) throws -> Operand {
        let condition = try self.predicate(predicate, scope)
        let (a, b) = (try typedScalar(yes, scope), try typedScalar(no, scope))
        let types = [a.type, b.type].compactMap(\.self)
        let isOne = Set(types.map(ValueFamily.init)).count == 1
        let type = types.allSatisfy(\.isInteger) ? types.first : types.first { !$0.isInteger }
        return .value(sql: "CASE WHEN \(condition) THEN \(a.sql) ELSE \(b.sql) END", type: isOne ? type : nil)
    }
}
