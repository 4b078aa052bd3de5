import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    typealias Comparison = FoundationSupplement.NSComparisonPredicate

    /// More levels would overflow SQLite's parser, and at last the stack.
    private static let deepest = 200

    mutating func predicate(_ predicate: NSPredicate, _ scope: Scope) throws -> String {
        guard depth < Self.deepest else { throw CocoaError.request("a predicate of more than \(Self.deepest) levels") }
        depth += 1
        defer { depth -= 1 }
        switch predicate {
        case let comparison as Comparison: return try self.comparison(comparison, scope)
        case let compound as Foundation.NSCompoundPredicate: return try self.compound(compound, scope)
        default:
            switch predicate.formatText {
            case "TRUEPREDICATE": return "1 = 1"
            case "FALSEPREDICATE": return "1 = 0"
            case let text: throw CocoaError.request("Problem with subpredicate \(text): it can't be said in SQL")
            }
        }
    }

    private mutating func compound(_ compound: Foundation.NSCompoundPredicate, _ scope: Scope) throws -> String {
        let parts = try compound.subpredicates.map { try predicate($0, scope) }
        switch compound.compoundPredicateType {
        case .not: return "NOT (\(parts.first ?? "1 = 0"))"
        case .and: return parts.isEmpty ? "1 = 1" : "(\(Self.joined(parts[...], " AND ")))"
        case .or: return parts.isEmpty ? "1 = 0" : "(\(Self.joined(parts[...], " OR ")))"
        }
    }

    /// SQLite takes `a OR b OR c …` as one level each, and has a limit of 1,000: many are put into a balanced tree.
    private static func joined(_ parts: ArraySlice<String>, _ sign: String) -> String {
        guard parts.count > 100 else { return parts.joined(separator: sign) }
        let middle = parts.startIndex + parts.count / 2
        return "(\(joined(parts[..<middle], sign)))\(sign)(\(joined(parts[middle...], sign)))"
    }

    private mutating func comparison(_ predicate: Comparison, _ scope: Scope) throws -> String {
        if isConstant(predicate.leftExpression), isConstant(predicate.rightExpression) {
            return try predicate.evaluateThrowing(with: nil, variables: [:]) ? "1 = 1" : "1 = 0"
        }
        let left = try operand(predicate.leftExpression, scope)
        switch left {
        case .toMany(let owner, let storage, let rest): return try collection(predicate, owner, storage, rest, scope)
        // As with Apple, ANY and ALL of a to-one path are the comparison itself.
        case .object, .value: break
        case .constant, .collection:
            guard predicate.comparisonPredicateModifier == .direct else {
                throw CocoaError.request(
                    "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet.")
            }
        }
        // `"x" IN tags`, `%@ IN country.cities`: the mirror of CONTAINS.
        let right = try operand(predicate.rightExpression, scope)
        if predicate.predicateOperatorType == .in, case .toMany(let owner, let storage, let rest) = right {
            return try exists(owner, storage, rest, scope) { generator, element in
                try generator.compare(predicate, .equalTo, element, left)
            }
        }
        return try compare(predicate, predicate.predicateOperatorType, left, right)
    }

    // MARK: Over a to-many relationship

    private mutating func collection(
        _ predicate: Comparison, _ owner: String, _ storage: SQLStorage, _ rest: String?, _ scope: Scope
    ) throws -> String {
        if rest == "@count" {
            let right = try operand(predicate.rightExpression, scope)
            let count = Operand.value(sql: try count(owner, storage, scope), type: nil)
            return try compare(predicate, predicate.predicateOperatorType, count, right)
        }
        let right = try operand(predicate.rightExpression, scope)
        switch (predicate.comparisonPredicateModifier, predicate.predicateOperatorType) {
        case (.any, let type):
            return try exists(owner, storage, rest, scope) { try $0.compare(predicate, type, $1, right) }
        case (.all, let type):
            // No element for which the comparison doesn't hold. A set of values, as memory has it, has no nil in it.
            let keepsNil = rest == nil || isOrdered(storage)
            return "NOT "
                + (try exists(owner, storage, rest, scope) { generator, element in
                    let failure = "NOT IFNULL((\(try generator.compare(predicate, type, element, right))), 0)"
                    return keepsNil ? failure : "\(element.sql) IS NOT NULL AND \(failure)"
                })
        case (.direct, .contains):
            return try exists(owner, storage, rest, scope) { try $0.compare(predicate, .equalTo, $1, right) }
        default:
            throw CocoaError.request("to-many key not allowed here")
        }
    }

    private func isOrdered(_ storage: SQLStorage) -> Bool {
        switch storage {
        case .toMany(_, _, let order, _): order != nil
        case .join(_, _, _, _, let order, _): order != nil
        case .none, .column, .composite, .toOne: false
        }
    }

    /// `EXISTS` over the rows at the other end for which `condition` holds.
    private mutating func exists(
        _ owner: String, _ storage: SQLStorage, _ rest: String?, _ scope: Scope,
        _ condition: (inout SQLGenerator, Operand) throws -> String
    ) throws -> String {
        guard let ends = rows(owner, storage) else { throw CocoaError.request("to-many key not allowed here") }
        let inner = newScope(ends.destination, parent: scope, variable: "")
        let element = try elementOperand(rest, inner)
        let text = try condition(&self, element)
        return
            "EXISTS (SELECT 1 FROM \(ends.from(inner.alias))\(inner.joinText) WHERE \(ends.condition(inner.alias)) AND \(text))"
    }

    private mutating func elementOperand(_ rest: String?, _ inner: Scope) throws -> Operand {
        let prefix = inner.alias + "."
        guard let rest else {
            return .object(
                key: "\(prefix)Z_PK", entityNumber: inner.entity.hasSubentities ? "\(prefix)Z_ENT" : nil,
                destination: inner.entity)
        }
        guard let operand = try path(rest, inner) else {
            throw CocoaError.request("keypath \(rest) not found in entity \(inner.entity.name)")
        }
        if case .toMany = operand {
            throw CocoaError.request("Unsupported: more than one to-many step in a key path (\(rest))")
        }
        return operand
    }

    private mutating func count(_ owner: String, _ storage: SQLStorage, _ scope: Scope) throws -> String {
        guard let ends = rows(owner, storage) else { throw CocoaError.request("to-many key not allowed here") }
        let alias = newAlias()
        return "(SELECT COUNT(*) FROM \(ends.from(alias)) WHERE \(ends.condition(alias)))"
    }

    /// `SUBQUERY(collection, $x, predicate).@count`.
    mutating func subqueryCount(_ expression: FoundationSupplement.NSExpression, _ scope: Scope) throws -> String {
        guard let collection = expression.collection as? FoundationSupplement.NSExpression,
            case .toMany(let owner, let storage, nil) = try operand(collection, scope), let ends = rows(owner, storage)
        else { throw CocoaError.request("Unsupported collection in \(expression)") }
        let inner = newScope(ends.destination, parent: scope, variable: expression.variable)
        let text = try predicate(expression.predicate, inner)
        return
            "(SELECT COUNT(*) FROM \(ends.from(inner.alias))\(inner.joinText) WHERE \(ends.condition(inner.alias)) AND (\(text)))"
    }

    /// Where the rows at the other end of a to-many relationship are, and which belong to the owner.
    private func rows(
        _ owner: String, _ storage: SQLStorage
    ) -> (destination: SQLEntity, from: (String) -> String, condition: (String) -> String)? {
        switch storage {
        case .toMany(let key, _, _, let destination):
            return (destination, { "\(destination.table.name) \($0)" }, { "\($0).\(key.name) = \(owner).Z_PK" })
        case .join(let table, let own, let other, _, _, let destination):
            // The join table's alias is the row's with a letter: each is unique in the statement.
            return (
                destination,
                { "\(table.name) \($0)j JOIN \(destination.table.name) \($0) ON \($0).Z_PK = \($0)j.\(other)" },
                { "\($0)j.\(own) = \(owner).Z_PK" }
            )
        case .none, .column, .composite, .toOne: return nil
        }
    }

    // MARK: One comparison

    private mutating func compare(
        _ predicate: Comparison, _ type: Comparison.Operator, _ left: Operand, _ right: Operand
    ) throws -> String {
        switch type {
        case .equalTo, .notEqualTo: return try equality(predicate, type, left, right)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return try ordering(predicate, type, left, right)
        case .in: return try membership(predicate, left, right)
        case .between: return try between(predicate, left, right)
        case .contains, .beginsWith, .endsWith, .like, .matches: return try search(predicate, type, left, right)
        case .customSelector: throw unimplemented(predicate)
        }
    }

    private func unimplemented(_ predicate: Comparison) -> CocoaError {
        CocoaError.request("unimplemented SQL generation for predicate : (\(predicate.formatText))")
    }

    private mutating func equality(
        _ predicate: Comparison, _ type: Comparison.Operator, _ left: Operand, _ right: Operand
    ) throws -> String {
        let sign = type == .equalTo ? "=" : "<>"
        switch (left, right) {
        case (.constant, _): return try equality(predicate, type, right, left)
        case (.value(let sql, _), .constant(nil)), (.object(let sql, _, _), .constant(nil)):
            return "\(sql) IS \(type == .equalTo ? "" : "NOT ")NULL"
        case (_, .constant(is NSNull)): return try equality(predicate, type, left, .constant(nil))
        case (.object(let key, _, let destination), .constant(let value?)):
            guard let id = try objectID(value, destination) else {
                return type == .equalTo ? "1 = 0" : "\(key) IS NOT NULL"
            }
            // Keys are unique in a table, so the key alone decides; it comes from an ID, never from text.
            return "\(key) \(sign) \(id.primaryKey)"
        case (.value(let sql, _), .constant(let value)):
            if isFolded(predicate), value is String || value is NSString {
                return
                    "NSCoreDataStringSearch(\(sql), \(try bind(value)), \(flags(predicate)), \(SQLFunctions.Search.equal.rawValue)) = \(type == .equalTo ? 1 : 0)"
            }
            return "\(sql) \(sign) \(try bind(value))"
        case (.value(let a, _), .value(let b, _)):
            guard isFolded(predicate) else { return "\(a) \(sign) \(b)" }
            let search = SQLFunctions.Search.equal.rawValue
            return "NSCoreDataStringSearch(\(a), \(b), \(flags(predicate)), \(search)) = \(type == .equalTo ? 1 : 0)"
        case (.object(let a, _, let x), .object(let b, _, let y)):
            // Rows of two tables are never the same, whatever their keys.
            if x.table === y.table { return "\(a) \(sign) \(b)" }
            return type == .equalTo ? "1 = 0" : "(\(a) IS NOT NULL AND \(b) IS NOT NULL)"
        default: throw unimplemented(predicate)
        }
    }

    private mutating func ordering(
        _ predicate: Comparison, _ type: Comparison.Operator, _ left: Operand, _ right: Operand
    ) throws -> String {
        let signs: [Comparison.Operator: String] = [
            .lessThan: "<", .lessThanOrEqualTo: "<=", .greaterThan: ">", .greaterThanOrEqualTo: ">=",
        ]
        let a = try side(predicate, left)
        let b = try side(predicate, right)
        let sign = signs[type] ?? "="
        return isFolded(predicate)
            ? "NSCoreDataStringCompare(\(a), \(b), \(flags(predicate))) \(sign) 0" : "\(a) \(sign) \(b)"
    }

    private mutating func side(_ predicate: Comparison, _ operand: Operand) throws -> String {
        switch operand {
        case .value(let sql, _): return sql
        case .constant(nil), .constant(is NSNull):
            throw CocoaError.request("Invalid predicate: nil RHS (\(predicate.formatText))")
        case .constant(let value): return try bind(value)
        default: throw unimplemented(predicate)
        }
    }

    private mutating func between(_ predicate: Comparison, _ left: Operand, _ right: Operand) throws -> String {
        guard case .value(let sql, _) = left, let bounds = elements(right), bounds.count == 2 else {
            throw unimplemented(predicate)
        }
        return "\(sql) BETWEEN \(try bind(bounds[0])) AND \(try bind(bounds[1]))"
    }

    private mutating func membership(_ predicate: Comparison, _ left: Operand, _ right: Operand) throws -> String {
        guard let list = elements(right) else {
            return try search(predicate, .contains, right, left)  // a part of a string
        }
        switch left {
        case .object(let key, _, let destination):
            let values = list.compactMap(\.self).filter { !($0 is NSNull) }
            // As one text, so that there may be any number of them and the statement stays the same.
            let keys = try values.compactMap { try objectID($0, destination)?.primaryKey }
            let found = "\(key) IN (SELECT value FROM json_each(\(try bind("\(keys)"))))"
            return values.count < list.count ? "(\(found) OR \(key) IS NULL)" : found
        case .value(let sql, _):
            let values = list.compactMap(\.self).filter { !($0 is NSNull) }
            let hasNil = values.count < list.count
            if isFolded(predicate) {
                let parts = try values.map { try equality(predicate, .equalTo, left, .constant($0)) }
                return parts.isEmpty ? "1 = 0" : "(\(Self.joined(parts[...], " OR ")))"
            }
            guard values.count <= 30_000 else { throw CocoaError.request("IN with more than 30,000 values") }
            let marks = try values.map { try bind($0) }.joined(separator: ", ")
            let text = values.isEmpty ? "1 = 0" : "\(sql) IN (\(marks))"
            return hasNil ? "(\(text) OR \(sql) IS NULL)" : text
        default: throw unimplemented(predicate)
        }
    }

    private func elements(_ operand: Operand) -> [Any?]? {
        switch operand {
        case .collection(let list): list
        case .constant(let value?):
            switch value {
            case let list as [Any]: list
            case let list as NSArray: list.map { $0 }
            case let list as NSSet: list.allObjects
            case let list as NSOrderedSet: list.array
            case let list as Set<AnyHashable>: list.map(\.base)
            case let list as [AnyHashable: Any]: Array(list.values)
            default: nil
            }
        default: nil
        }
    }

    private mutating func search(
        _ predicate: Comparison, _ type: Comparison.Operator, _ left: Operand, _ right: Operand
    ) throws -> String {
        let kinds: [Comparison.Operator: SQLFunctions.Search] = [
            .contains: .contains, .beginsWith: .beginsWith, .endsWith: .endsWith, .like: .like, .matches: .matches,
        ]
        guard let kind = kinds[type] else { throw unimplemented(predicate) }
        if type == .matches, case .constant(let pattern as String) = right {
            do { _ = try NSRegularExpression(pattern: pattern) } catch {
                throw CocoaError.request("Can't do regex matching, reason: Can't open pattern (pattern \(pattern))")
            }
        }
        if case .object = left { throw unimplemented(predicate) }
        let (a, b) = (try side(predicate, left), try side(predicate, right))
        return "NSCoreDataStringSearch(\(a), \(b), \(flags(predicate)), \(kind.rawValue))"
    }

    private func isFolded(_ predicate: Comparison) -> Bool { flags(predicate) != 0 }

    /// The options as the SQL functions take them; `n` promises that the texts were prepared, and turns the others off.
    private func flags(_ predicate: Comparison) -> UInt {
        predicate.options.contains(.normalized) ? 0 : predicate.options.rawValue & 0b1011
    }

    // MARK: Objects

    /// The ID that a value means, if it can be one of a row of `destination` in this store.
    private func objectID(_ value: Any, _ destination: SQLEntity) throws -> NSManagedObjectID? {
        let id: NSManagedObjectID
        switch value {
        case let object as NSManagedObject: id = object.objectID
        case let given as NSManagedObjectID: id = given
        default: throw CocoaError.request("an object or object ID is expected in place of \(value)")
        }
        guard !id.isTemporaryID, let entity = schema.entity(id.entity), entity.table === destination.table else {
            return nil
        }
        return id
    }
}
