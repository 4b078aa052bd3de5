import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// The objects at the other end of a to-many relationship, or values of them.
    struct Collection {
        /// The SQL of the owner's key.
        let owner: String
        /// Whether there may be no owner, since it is itself at the end of a to-one relationship.
        let mayLackOwner: Bool
        let storage: SQLStorage
        /// The key path from each element.
        var rest: String?
        /// The conditions of SUBQUERY expressions, each with the name that it gives to an element.
        var filters: [(variable: String, predicate: NSPredicate)] = []

        /// Whether memory makes a set of the values: without nil, each once.
        var isSet: Bool { rest != nil && filters.isEmpty && !isOrdered }

        private var isOrdered: Bool {
            switch storage {
            case .toMany(_, _, let order, _): order != nil
            case .join(_, _, _, _, let order, _): order != nil
            case .none, .column, .composite, .toOne: false
            }
        }
    }

    /// A `SELECT` over the elements under construction.
    private struct Elements {
        let scope: Scope
        let join: (table: SQLJoinTable, own: String, other: String)?
        /// The column with the owner's key.
        let owner: String
        var conditions: [String] = []

        var source: String {
            let table = "\(scope.entity.table.name) \(scope.alias)"
            guard let join else { return table + scope.joinText }
            let links = "\(join.table.name) \(scope.alias)j"
            guard scope.usesTable else { return links + scope.joinText }
            return "\(links) JOIN \(table) ON \(scope.alias).Z_PK = \(scope.alias)j.\(join.other)\(scope.joinText)"
        }
    }

    private mutating func open(_ collection: Collection, _ scope: Scope) throws -> Elements {
        var elements: Elements
        switch collection.storage {
        case .toMany(let key, _, _, let destination):
            let inner = newScope(destination, parent: scope)
            elements = Elements(scope: inner, join: nil, owner: "\(inner.alias).\(key.name)")
        case .join(let table, let own, let other, _, _, let destination):
            // The join table's alias is the row's with a letter: each is unique in the statement.
            let inner = newScope(destination, parent: scope)
            inner.key = "\(inner.alias)j.\(other)"
            elements = Elements(scope: inner, join: (table, own, other), owner: "\(inner.alias)j.\(own)")
        case .none, .column, .composite, .toOne: throw CocoaError.request("to-many key not allowed here")
        }
        for filter in collection.filters {
            elements.scope.variables.append(filter.variable)
            elements.conditions.append("(\(try predicate(filter.predicate, elements.scope)))")
        }
        return elements
    }

    /// The value of an element at the end of the collection's key path.
    ///
    /// - Parameter refusal: what is thrown for a path with another to-many step.
    private mutating func element(
        _ path: String?, _ scope: Scope, refusal: CocoaError? = nil
    ) throws -> Operand {
        guard let path else { return .object(key: scope.key, destination: scope.entity) }
        guard let operand = try self.path(path, scope) else { throw missing(path, scope.entity) }
        if case .toMany = operand {
            throw refusal ?? CocoaError.request("multiple to-many keys not allowed here (\(path))")
        }
        return operand
    }

    // MARK: Quantifiers

    mutating func quantified(_ predicate: Comparison, _ collection: Collection, _ scope: Scope) throws -> String {
        let type = predicate.predicateOperatorType
        let right = try operand(predicate.rightExpression, scope)
        switch predicate.comparisonPredicateModifier {
        case .any:
            return try exists(collection, scope, comparedWith: right) { try $0.compare(predicate, type, $1, right) }
        case .all:
            // No element for which the comparison doesn't hold.
            return "NOT "
                + (try exists(collection, scope, comparedWith: right) {
                    "NOT IFNULL((\(try $0.compare(predicate, type, $1, right))), 0)"
                })
        case .direct where type == .contains:
            return try exists(collection, scope, comparedWith: right) { try $0.compare(predicate, .equalTo, $1, right) }
        case .direct: throw CocoaError.request("to-many key not allowed here (\(predicate.formatText))")
        }
    }

    /// `x IN tags.name`
    mutating func membership(
        _ predicate: Comparison, _ left: Operand, in collection: Collection, _ scope: Scope
    ) throws -> String {
        try exists(collection, scope, comparedWith: left) { try $0.compare(predicate, .equalTo, $1, left) }
    }

    private mutating func exists(
        _ collection: Collection, _ scope: Scope, comparedWith other: Operand,
        _ condition: (inout SQLGenerator, Operand) throws -> String
    ) throws -> String {
        var elements = try open(collection, scope)
        let element = try element(collection.rest, elements.scope)
        if collection.isSet { elements.conditions.append("\(element.sql) IS NOT NULL") }
        elements.conditions.append("(\(try condition(&self, element)))")
        return exists(elements, collection, isCorrelated: !other.isConstant)
    }

    /// Whether there is an element; always true or false.
    private func exists(_ elements: Elements, _ collection: Collection, isCorrelated: Bool) -> String {
        let (owner, conditions) = (elements.owner, elements.conditions)
        if isCorrelated || elements.scope.isCorrelated || conditions.isEmpty {
            let all = (["\(owner) = \(collection.owner)"] + conditions).joined(separator: " AND ")
            return "EXISTS (SELECT 1 FROM \(elements.source) WHERE \(all))"
        }
        // The elements don't depend on the row: they are found once, by their own indexes, not once for each row.
        let all = (conditions + ["\(owner) IS NOT NULL"]).joined(separator: " AND ")
        let found = "\(collection.owner) IN (SELECT \(owner) FROM \(elements.source) WHERE \(all))"
        return collection.mayLackOwner ? "(\(collection.owner) IS NOT NULL AND \(found))" : found
    }

    // MARK: SUBQUERY

    mutating func subquery(
        _ expression: Expression, _ variable: String, _ predicate: NSPredicate, _ scope: Scope
    ) throws -> Collection {
        guard case .toMany(var collection) = try operand(expression, scope), collection.rest == nil else {
            throw CocoaError.request("Unsupported collection in SUBQUERY: \(expression)")
        }
        collection.filters.append((variable, predicate))
        return collection
    }

    /// `SUBQUERY(…).@count > 0` and `tags.@count == 0` as EXISTS, which stops at the first element; nil for all other
    /// comparisons.
    mutating func existence(_ predicate: Comparison, _ scope: Scope) throws -> String? {
        guard predicate.comparisonPredicateModifier == .direct,
            case .keyPath(let start, let path) = predicate.leftExpression.storage, path.hasSuffix("@count"),
            case .constant(let value) = predicate.rightExpression.storage,
            case .number(.integer(let limit)) = PredicateValue(value)
        else { return nil }
        let wantsElements: Bool
        switch (predicate.predicateOperatorType, limit) {
        case (.greaterThan, 0), (.notEqualTo, 0), (.greaterThanOrEqualTo, 1): wantsElements = true
        case (.equalTo, 0), (.lessThanOrEqualTo, 0), (.lessThan, 1): wantsElements = false
        default: return nil
        }
        guard let collection = try counted(start, path, scope) else { return nil }
        let text = exists(try open(collection, scope), collection, isCorrelated: false)
        return wantsElements ? text : "NOT \(text)"
    }

    /// The objects whose number `start.path` is; nil where that is another thing.
    private mutating func counted(_ start: Expression?, _ path: String, _ scope: Scope) throws -> Collection? {
        let expression: Expression
        if path == "@count" {
            guard let start else { return nil }
            expression = start
        } else {
            expression = Expression(storage: .keyPath(operand: start, path: String(path.dropLast(".@count".count))))
        }
        guard !isConstant(expression), case .toMany(let collection) = try operand(expression, scope),
            collection.rest == nil
        else { return nil }
        // Without an owner the count is nil, unless SUBQUERY makes an empty collection of that.
        return collection.mayLackOwner && collection.filters.isEmpty ? nil : collection
    }

    // MARK: Aggregates

    /// The collection, or what an operator in its key path makes of it: `tags.@sum.weight`.
    mutating func aggregated(_ collection: Collection, _ scope: Scope) throws -> Operand {
        let steps = (collection.rest ?? "").split(separator: ".").map(String.init)
        guard let place = steps.firstIndex(where: { $0.hasPrefix("@") }) else { return .toMany(collection) }
        let (before, after) = (steps[..<place], steps[(place + 1)...])
        let functions = [
            "@count": "count:", "@sum": "sum:", "@min": "min:", "@max": "max:", "@avg": "average:",
        ]
        guard let function = functions[steps[place]], (function == "count:") == after.isEmpty,
            before.isEmpty || after.isEmpty
        else { throw CocoaError.request("Unsupported function expression \(collection.rest ?? "")") }
        var values = collection
        values.rest = before.isEmpty && after.isEmpty ? nil : (before + after).joined(separator: ".")
        // The operator goes through the objects; behind a key, through a set of values.
        return try aggregate(function, values, isDistinct: !before.isEmpty && values.isSet, countsNil: true, scope)
    }

    /// `sum:(tags.weight)`
    mutating func aggregate(
        function name: String, _ collection: Collection, _ expression: Expression, _ scope: Scope
    ) throws -> Operand {
        guard ["count:", "sum:", "min:", "max:", "average:"].contains(name) else { throw unsupported(expression) }
        return try aggregate(
            name, collection, isDistinct: collection.isSet, countsNil: false, scope, refusal: unsupported(expression))
    }

    private mutating func aggregate(
        _ function: String, _ collection: Collection, isDistinct: Bool, countsNil: Bool, _ scope: Scope,
        refusal: CocoaError? = nil
    ) throws -> Operand {
        var elements = try open(collection, scope)
        let element = try element(collection.rest, elements.scope, refusal: refusal)
        let (sql, type) = try Self.aggregate(function, element, isDistinct: isDistinct, countsNil: countsNil)
        elements.conditions.insert("\(elements.owner) = \(collection.owner)", at: 0)
        let all = elements.conditions.joined(separator: " AND ")
        let select = "(SELECT \(sql) FROM \(elements.source) WHERE \(all))"
        guard collection.mayLackOwner, collection.filters.isEmpty else { return .value(sql: select, type: type) }
        let none = countsNil || function != "count:" && function != "sum:" ? "" : " ELSE 0"
        return .value(sql: "CASE WHEN \(collection.owner) IS NOT NULL THEN \(select)\(none) END", type: type)
    }

    /// SQL's aggregate function over the values of several rows.
    ///
    /// - Parameter countsNil: whether nil is an element, which a mean takes for 0.
    static func aggregate(
        _ function: String, _ element: Operand, isDistinct: Bool, countsNil: Bool
    ) throws -> (sql: String, type: NSAttributeType?) {
        let distinct = isDistinct ? "DISTINCT " : ""
        if function == "count:" {
            return (countsNil && !isDistinct ? "COUNT(*)" : "COUNT(\(distinct)\(element.sql))", .integer64AttributeType)
        }
        guard case .value(let sql, let type) = element else {
            throw CocoaError.request("Unsupported function expression \(function) of objects")
        }
        let family = type.flatMap(ValueFamily.init)
        guard family != .opaque, family == .number || family == nil || function == "min:" || function == "max:" else {
            throw CocoaError.request("Unsupported function expression \(function) of values that aren't numbers")
        }
        // Decimals add up exactly.
        let isDecimal = type == .decimalAttributeType
        let sum = isDecimal ? "NSCoreDataDecimalSum(\(distinct)\(sql))" : "SUM(\(distinct)\(sql))"
        let sumType = type.map { $0.isInteger ? .integer64AttributeType : $0 }
        let number = countsNil ? "COUNT(*)" : "COUNT(\(distinct)\(sql))"
        switch function {
        case "min:": return ("MIN(\(sql))", type)
        case "max:": return ("MAX(\(sql))", type)
        case "sum:": return ("IFNULL(\(sum), 0)", sumType)
        default:
            if isDecimal { return ("NSCoreDataFunction('mn divide:by:', IFNULL(\(sum), 0), \(number))", type) }
            return ("IFNULL(\(sum), 0) * 1.0 / \(number)", .doubleAttributeType)
        }
    }
}
