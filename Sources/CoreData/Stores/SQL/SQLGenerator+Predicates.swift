import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    typealias Comparison = FoundationSupplement.NSComparisonPredicate

    /// - Throws: an error with code 134060 for what SQL can't say, with Apple's wording for what Apple's stores refuse.
    mutating func predicate(_ predicate: NSPredicate, _ scope: Scope) throws -> String {
        try descend { generator in
            switch predicate {
            case let comparison as Comparison: return try generator.comparison(comparison, scope)
            case let compound as Foundation.NSCompoundPredicate: return try generator.compound(compound, scope)
            default:
                switch predicate.formatText {
                case "TRUEPREDICATE": return "1 = 1"
                case "FALSEPREDICATE": return "1 = 0"
                case let text: throw CocoaError.request("Problem with subpredicate \(text): it can't be said in SQL")
                }
            }
        }
    }

    private mutating func compound(_ compound: Foundation.NSCompoundPredicate, _ scope: Scope) throws -> String {
        let type = compound.compoundPredicateType
        let predicates = type == .or ? Self.collected(compound.subpredicates) : compound.subpredicates
        let parts = try predicates.map { try predicate($0, scope) }
        switch type {
        case .not: return "NOT (\(parts.first ?? "1 = 0"))"
        case .and: return parts.isEmpty ? "1 = 1" : "(\(Self.joined(parts[...], " AND ")))"
        case .or: return parts.isEmpty ? "1 = 0" : "(\(Self.joined(parts[...], " OR ")))"
        }
    }

    /// SQLite takes `a OR b OR c …` as one level each, and has a limit of 1,000: many are put into a balanced tree.
    static func joined(_ parts: ArraySlice<String>, _ sign: String) -> String {
        guard parts.count > 3 else { return parts.joined(separator: sign) }
        let middle = parts.startIndex + parts.count / 2
        return "(\(joined(parts[..<middle], sign)))\(sign)(\(joined(parts[middle...], sign)))"
    }

    /// `a == 1 OR a == 2 OR …` as `a IN {1, 2, …}`: one statement for any number of alternatives.
    private static func collected(_ alternatives: [NSPredicate]) -> [NSPredicate] {
        guard alternatives.count > ValueList.few else { return alternatives }
        struct Key: Hashable {
            let path: String
            let options: UInt
        }
        var values: [Key: [Any]] = [:]
        let rest = alternatives.filter { alternative in
            guard let comparison = alternative as? Comparison, comparison.predicateOperatorType == .equalTo,
                comparison.comparisonPredicateModifier == .direct, let path = comparison.leftExpression.plainKeyPath,
                case .constant(let value?) = comparison.rightExpression.storage, !PredicateValue(value).isNull
            else { return true }
            values[Key(path: path, options: comparison.options.rawValue), default: []].append(value)
            return false
        }
        return rest
            + values.sorted { ($0.key.path, $0.key.options) < ($1.key.path, $1.key.options) }.map { key, values in
                Comparison(
                    leftExpression: Expression(forKeyPath: key.path),
                    rightExpression: Expression(forConstantValue: values),
                    modifier: .direct, type: .in, options: .init(rawValue: key.options))
            }
    }

    private mutating func comparison(_ predicate: Comparison, _ scope: Scope) throws -> String {
        if isConstant(predicate.leftExpression), isConstant(predicate.rightExpression) {
            return try predicate.evaluateThrowing(with: nil, variables: [:]) ? "1 = 1" : "1 = 0"
        }
        if let existence = try existence(predicate, scope) { return existence }
        let left = try operand(predicate.leftExpression, scope)
        if case .toMany(let collection) = left { return try quantified(predicate, collection, scope) }
        if predicate.comparisonPredicateModifier != .direct {
            switch left {
            // As with Apple, ANY and ALL of a to-one path are the comparison itself.
            case .object, .value, .entity: break
            default: return try quantified(predicate, left, scope)
            }
        }
        let right = try operand(predicate.rightExpression, scope)
        // `"x" IN tags.name`, `%@ IN country.cities`: the mirror of CONTAINS.
        if case .toMany(let collection) = right {
            guard predicate.predicateOperatorType == .in else {
                throw CocoaError.request("to-many key not allowed here (\(predicate.formatText))")
            }
            return try membership(predicate, left, in: collection, scope)
        }
        return try compare(predicate, predicate.predicateOperatorType, left, right)
    }

    /// `ANY {1, 2} == people`
    private mutating func quantified(_ predicate: Comparison, _ left: Operand, _ scope: Scope) throws -> String {
        guard let list = elements(left) else {
            throw CocoaError.request(
                "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet.")
        }
        let right = try operand(predicate.rightExpression, scope)
        let isAny = predicate.comparisonPredicateModifier == .any
        let parts = try list.map { element in
            "IFNULL((\(try compare(predicate, predicate.predicateOperatorType, element, right))), 0)"
        }
        if parts.isEmpty { return isAny ? "1 = 0" : "1 = 1" }
        return "(\(Self.joined(parts[...], isAny ? " OR " : " AND ")))"
    }
}
