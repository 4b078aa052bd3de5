import FoundationSupplement
import ManagedObjectModel

/// One comparison of two operands.
extension SQLGenerator {
    mutating func compare(
        _ predicate: Comparison, _ type: Comparison.Operator, _ left: Operand, _ right: Operand
    ) throws -> String {
        switch type {
        case .equalTo, .notEqualTo: return try equality(predicate, type == .equalTo, left, right)
        case .lessThan: return try ordering(predicate, "<", left, right)
        case .lessThanOrEqualTo: return try ordering(predicate, "<=", left, right)
        case .greaterThan: return try ordering(predicate, ">", left, right)
        case .greaterThanOrEqualTo: return try ordering(predicate, ">=", left, right)
        case .in: return try membership(predicate, left, right)
        case .contains where elements(left) != nil: return try membership(predicate, right, left)
        case .between: return try between(predicate, left, right)
        case .contains, .beginsWith, .endsWith, .like, .matches: return try search(predicate, type, left, right)
        case .customSelector: throw unimplemented(predicate)
        }
    }

    func unimplemented(_ predicate: Comparison) -> CocoaError {
        CocoaError.request("unimplemented SQL generation for predicate : (\(predicate.formatText))")
    }

    // MARK: Equality

    private mutating func equality(
        _ predicate: Comparison, _ wantsEqual: Bool, _ left: Operand, _ right: Operand
    ) throws -> String {
        let sign = wantsEqual ? "=" : "<>"
        switch (left, right) {
        case (.constant(let a), .constant(let b)):
            let areEqual = PredicateValue.areEqual(
                PredicateValue(a), PredicateValue(b), StringComparison(predicate.options))
            return areEqual == wantsEqual ? "1 = 1" : "1 = 0"
        case (.constant(let value), .value), (.constant(let value), .object), (.constant(let value), .entity):
            return try equality(predicate, wantsEqual, right, .constant(value))
        case (.value(let sql, _), .constant(let value)) where PredicateValue(value).isNull,
            (.object(let sql, _), .constant(let value)) where PredicateValue(value).isNull,
            (.entity(let sql), .constant(let value)) where PredicateValue(value).isNull:
            return "\(sql) IS \(wantsEqual ? "" : "NOT ")NULL"
        case (.object(let key, let destination), .constant(let value)):
            guard let id = try objectID(value, destination) else { return never([key], wantsEqual: wantsEqual) }
            // Keys are unique in a table, so the key alone decides.
            return "\(key) \(sign) \(bind(.integer(id.primaryKey)))"
        case (.object(let a, let x), .object(let b, let y)):
            // Rows of two tables are never the same, whatever their keys.
            return x.table === y.table ? "\(a) \(sign) \(b)" : never([a, b], wantsEqual: wantsEqual)
        case (.entity(let number), .constant(let value)):
            return "\(number) \(sign) \(bind(.integer(try entityNumber(value))))"
        case (.entity(let a), .entity(let b)): return "\(a) \(sign) \(b)"
        case (.value(let sql, let type), .constant(let value)):
            let slot = try SlotValue(constant: value)
            return try equality(predicate, wantsEqual, (sql, type), (bind(slot), slot.attributeType), [sql])
        case (.value(let a, let x), .value(let b, let y)):
            return try equality(predicate, wantsEqual, (a, x), (b, y), [a, b])
        default: throw unimplemented(predicate)
        }
    }

    private func equality(
        _ predicate: Comparison, _ wantsEqual: Bool, _ a: (sql: String, type: NSAttributeType?),
        _ b: (sql: String, type: NSAttributeType?), _ nullable: [String]
    ) throws -> String {
        let families = [a.type, b.type].map { $0.flatMap(ValueFamily.init) }
        if families.contains(.opaque) { throw unimplemented(predicate) }
        if let x = families[0], let y = families[1], x != y { return never(nullable, wantsEqual: wantsEqual) }
        guard flags(predicate, families) != 0 else { return "\(a.sql) \(wantsEqual ? "=" : "<>") \(b.sql)" }
        let search = SQLFunctions.Search.equal.rawValue
        let text = "NSCoreDataStringSearch(\(a.sql), \(b.sql), \(flags(predicate, families)), \(search))"
        return wantsEqual ? text : "NOT \(text)"
    }

    /// An equality that no row fulfils, as long as nothing in it is NULL: then it is unknown, like any other.
    func never(_ nullable: [String], wantsEqual: Bool) -> String {
        wantsEqual
            ? "((\(nullable.map { "\($0) IS NULL" }.joined(separator: " OR "))) AND NULL)"
            : "((\(nullable.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))) OR NULL)"
    }

    // MARK: Order

    private mutating func ordering(
        _ predicate: Comparison, _ sign: String, _ left: Operand, _ right: Operand
    ) throws -> String {
        try ordering(predicate, sign, side(predicate, left), side(predicate, right))
    }

    private func ordering(
        _ predicate: Comparison, _ sign: String, _ a: (sql: String, type: NSAttributeType?),
        _ b: (sql: String, type: NSAttributeType?)
    ) throws -> String {
        let families = [a.type, b.type].map { $0.flatMap(ValueFamily.init) }
        if families.contains(where: { $0 == .opaque || $0 == .uri }) { throw unimplemented(predicate) }
        if let x = families[0], let y = families[1], x != y { throw unimplemented(predicate) }
        let flags = flags(predicate, families)
        return flags == 0
            ? "\(a.sql) \(sign) \(b.sql)" : "NSCoreDataStringCompare(\(a.sql), \(b.sql), \(flags)) \(sign) 0"
    }

    private mutating func side(
        _ predicate: Comparison, _ operand: Operand
    ) throws -> (sql: String, type: NSAttributeType?) {
        switch operand {
        case .value(let sql, let type): return (sql, type)
        case .constant(let value) where PredicateValue(value).isNull:
            throw CocoaError.request("Invalid predicate: nil RHS (\(predicate.formatText))")
        case .constant(let value):
            let slot = try SlotValue(constant: value)
            return (bind(slot), slot.attributeType)
        default: throw unimplemented(predicate)
        }
    }

    private mutating func between(_ predicate: Comparison, _ left: Operand, _ right: Operand) throws -> String {
        if case .constant(let value) = right, PredicateValue(value).isNull { _ = try side(predicate, right) }
        guard let bounds = elements(right), bounds.count == 2, !isUnordered(right) else {
            throw unimplemented(predicate)
        }
        let value = try side(predicate, left)
        let (low, high) = (try bound(predicate, bounds[0]), try bound(predicate, bounds[1]))
        let lower = try ordering(predicate, ">=", value, low)
        let upper = try ordering(predicate, "<=", value, high)
        return "(\(lower) AND \(upper))"
    }

    private func isUnordered(_ operand: Operand) -> Bool {
        guard case .constant(let value) = operand else { return false }
        return value is NSSet || value is Set<AnyHashable>
    }

    /// A bound of BETWEEN; one that is nil encloses nothing.
    private mutating func bound(
        _ predicate: Comparison, _ operand: Operand
    ) throws -> (sql: String, type: NSAttributeType?) {
        if case .constant(let value) = operand, PredicateValue(value).isNull { return ("NULL", nil) }
        return try side(predicate, operand)
    }

    // MARK: Strings

    private mutating func search(
        _ predicate: Comparison, _ type: Comparison.Operator, _ left: Operand, _ right: Operand
    ) throws -> String {
        let kinds: [Comparison.Operator: SQLFunctions.Search] = [
            .contains: .contains, .beginsWith: .beginsWith, .endsWith: .endsWith, .like: .like, .matches: .matches,
        ]
        guard let kind = kinds[type] else { throw unimplemented(predicate) }
        let families = [valueType(of: left), valueType(of: right)].map { $0.flatMap(ValueFamily.init) }
        guard families.allSatisfy({ $0 == nil || $0 == .string }) else { throw unimplemented(predicate) }
        let flags = flags(predicate, families)
        let text = try side(predicate, left).sql
        if case .constant(let value) = right, case .string(let pattern) = PredicateValue(value) {
            if type == .matches { try checkExpression(pattern) }
            if type == .beginsWith, flags == 0 { return range(text, from: pattern) }
        }
        return "NSCoreDataStringSearch(\(text), \(try side(predicate, right).sql), \(flags), \(kind.rawValue))"
    }

    private func checkExpression(_ pattern: String) throws {
        do { _ = try NSRegularExpression(pattern: pattern) } catch {
            throw CocoaError.request("Can't do regex matching, reason: Can't open pattern (pattern \(pattern))")
        }
    }

    /// The strings with a prefix lie between two others, where an index finds them.
    private mutating func range(_ sql: String, from prefix: String) -> String {
        let start = "\(sql) >= \(bind(.string(prefix)))"
        return Self.end(ofPrefix: prefix).map { "(\(start) AND \(sql) < \(bind(.string($0))))" } ?? start
    }

    /// The first string behind those with a prefix, in the order of SQLite's plain collation, which is that of UTF-8;
    /// nil where none is.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Behind U+D7FF the surrogates follow, which no string has.
            if let next = last.value == 0xd7ff ? "\u{e000}" : Unicode.Scalar(last.value + 1) {
                scalars.append(next)
                return String(String.UnicodeScalarView(scalars))
            }
        }
        return nil
    }

    /// The options as the SQL functions take them; `n` promises that the texts were prepared, and turns the others off.
    /// What isn't a string has none.
    func flags(_ predicate: Comparison, _ families: [ValueFamily?]) -> UInt {
        guard !predicate.options.contains(.normalized), families.allSatisfy({ $0 == nil || $0 == .string }) else {
            return 0
        }
        return predicate.options.rawValue & 0b1011
    }

    // MARK: Objects

    /// The ID that a value means, if it can be one of a row of `destination` in this store.
    func objectID(_ value: Any?, _ destination: SQLEntity) throws -> NSManagedObjectID? {
        guard case .other(let id as NSManagedObjectID) = PredicateValue(value) else {
            throw CocoaError.request(
                "an object or object ID is expected in place of \(value.map { "\($0)" } ?? "nil")")
        }
        guard !id.isTemporaryID, let entity = schema.entity(id.entity), entity.table === destination.table else {
            return nil
        }
        return id
    }

    func entityNumber(_ value: Any?) throws -> Int64 {
        guard let entity = value as? NSEntityDescription else {
            throw CocoaError.request("an entity is expected in place of \(value.map { "\($0)" } ?? "nil")")
        }
        // The model may be an equal one.
        let own =
            schema.entity(entity) ?? entity.name.flatMap { schema.model.entitiesByName[$0] }.flatMap(schema.entity)
        return Int64(own?.number ?? 0)
    }
}
