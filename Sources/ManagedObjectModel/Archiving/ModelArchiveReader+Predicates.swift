import FoundationSupplement

extension ModelArchiveReader {
    private static let operators: Set = [
        "NSComparisonPredicateOperator", "NSEqualityPredicateOperator", "NSInPredicateOperator",
        "NSLikePredicateOperator", "NSMatchingPredicateOperator", "NSSubstringPredicateOperator",
        "NSBetweenPredicateOperator",
    ]

    /// A predicate; nil for none.
    mutating func predicate(_ reference: PropertyListValue?, _ what: String, depth: Int = 0) throws -> NSPredicate? {
        guard let object = try archive.object(reference) else { return nil }
        try descend(what, depth)
        switch object.className {
        case "NSComparisonPredicate": return try comparison(object, what, depth)
        case "NSCompoundPredicate":
            let type = try archive.integer(object["NSCompoundPredicateType"], what)
            guard let known = UInt(exactly: type).flatMap(NSCompoundPredicate.LogicalType.init) else {
                throw failure("has a compound predicate of the unknown type \(type) as \(what)")
            }
            let parts = try archive.elements(object["NSSubpredicates"], what)
                .compactMap { try predicate($0, what, depth: depth + 1) }
            guard known != .not || !parts.isEmpty else { throw failure("has an empty negation as \(what)") }
            return FoundationSupplement.NSCompoundPredicate(type: known, subpredicates: parts)
        case "NSTruePredicate": return NSPredicate(value: true)
        case "NSFalsePredicate": return NSPredicate(value: false)
        default: throw archive.unknown(object, what)
        }
    }

    private mutating func comparison(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> NSPredicate {
        guard let left = try expression(object["NSLeftExpression"], what, depth: depth + 1),
            let right = try expression(object["NSRightExpression"], what, depth: depth + 1),
            let comparison = try archive.object(object["NSPredicateOperator"], Self.operators, what)
        else { throw failure("has a comparison without sides or operator as \(what)") }
        let type = try archive.integer(comparison["NSOperatorType"], what)
        let modifier = try archive.integer(comparison["NSModifier"], what)
        guard let known = UInt(exactly: type).flatMap(FoundationSupplement.NSComparisonPredicate.Operator.init),
            known != .customSelector,
            let quantifier = UInt(exactly: modifier).flatMap(FoundationSupplement.NSComparisonPredicate.Modifier.init)
        else { throw failure("has a comparison with the unknown operator \(type) or modifier \(modifier) as \(what)") }
        // Operators on strings keep their options under another key.
        let options = try archive.integer(comparison["NSOptions"] ?? comparison["NSFlags"], what)
        return FoundationSupplement.NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: quantifier, type: known,
            options: .init(rawValue: UInt(exactly: options) ?? 0))
    }

    private mutating func descend(_ what: String, _ depth: Int) throws {
        try spend(what)
        guard depth < 64 else { throw failure("has an expression that is nested too deeply as \(what)") }
    }

    // MARK: Expressions

    /// An expression; nil for none.
    mutating func expression(
        _ reference: PropertyListValue?, _ what: String, depth: Int = 0
    ) throws -> FoundationSupplement.NSExpression? {
        guard let object = try archive.object(reference) else { return nil }
        try descend(what, depth)
        switch object.className {
        case "NSSelfExpression": return .expressionForEvaluatedObject()
        case "NSAnyKeyExpression": return .expressionForAnyKey()
        case "NSConstantValueExpression":
            if let name = try archive.string(object["NSConstantValueClassName"], what) {
                return FoundationSupplement.NSExpression(forConstantValue: name)
            }
            return FoundationSupplement.NSExpression(forConstantValue: try value(object["NSConstantValue"], what))
        case "NSVariableExpression":
            return FoundationSupplement.NSExpression(
                forVariable: try archive.requiredString(object["NSVariable"], "a variable of \(what)"))
        case "NSKeyPathSpecifierExpression":
            return FoundationSupplement.NSExpression(
                forKeyPath: try archive.requiredString(object["NSKeyPath"], "a key path of \(what)"))
        case "NSKeyPathExpression": return try keyPath(object, what, depth)
        case "NSFunctionExpression": return try function(object, what, depth)
        case "NSAggregateExpression":
            return FoundationSupplement.NSExpression(
                forAggregate: try expressions(object["NSCollection"], what, depth))
        case "NSSetExpression": return try set(object, what, depth)
        case "NSSubqueryExpression": return try subquery(object, what, depth)
        case "NSTernaryExpression": return try conditional(object, what, depth)
        default: throw archive.unknown(object, what)
        }
    }

    private mutating func expressions(
        _ reference: PropertyListValue?, _ what: String, _ depth: Int
    ) throws -> [FoundationSupplement.NSExpression] {
        try archive.elements(reference, what).compactMap { try expression($0, what, depth: depth + 1) }
    }

    private mutating func required(
        _ reference: PropertyListValue?, _ what: String, _ depth: Int
    ) throws -> FoundationSupplement.NSExpression {
        guard let expression = try expression(reference, what, depth: depth + 1) else {
            throw failure("has an incomplete expression as \(what)")
        }
        return expression
    }

    /// `name` is archived as `valueForKey:` on SELF, `$x.name` as `valueForKeyPath:` on the variable.
    private mutating func keyPath(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> FoundationSupplement.NSExpression {
        let operand = try required(object["NSOperand"], what, depth)
        guard let argument = try archive.elements(object["NSArguments"], what).first,
            case .keyPath(nil, let path) = try required(argument, what, depth).storage
        else { throw failure("has a key path without a path as \(what)") }
        if case .evaluatedObject = operand.storage { return FoundationSupplement.NSExpression(forKeyPath: path) }
        return FoundationSupplement.NSExpression(storage: .keyPath(operand: operand, path: path))
    }

    /// The receiver of a built-in function is a class of Foundation's, of which the archive has the name.
    private mutating func function(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> FoundationSupplement.NSExpression {
        let name = try archive.requiredString(object["NSSelectorName"], "a function of \(what)")
        let arguments = try expressions(object["NSArguments"], what, depth)
        let operand = try archive.object(object["NSOperand"])
        let isBuiltIn = try archive.string(operand?["NSConstantValueClassName"], what) == Self.builtInReceiver
        if operand == nil || isBuiltIn {
            return FoundationSupplement.NSExpression(forFunction: name, arguments: arguments)
        }
        return FoundationSupplement.NSExpression(
            forFunction: try required(object["NSOperand"], what, depth), selectorName: name, arguments: arguments)
    }

    static let builtInReceiver = "_NSPredicateUtilities"

    private mutating func set(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> FoundationSupplement.NSExpression {
        let left = try required(object["NSLeftExpression"], what, depth)
        let right = try required(object["NSRightExpression"], what, depth)
        switch try archive.integer(object["NSExpressionType"], what) {
        case 5: return FoundationSupplement.NSExpression(forUnionSet: left, with: right)
        case 6: return FoundationSupplement.NSExpression(forIntersectSet: left, with: right)
        case 7: return FoundationSupplement.NSExpression(forMinusSet: left, with: right)
        default: throw failure("has an unknown set operation as \(what)")
        }
    }

    private mutating func subquery(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> FoundationSupplement.NSExpression {
        guard let predicate = try predicate(object["NSPredicate"], what, depth: depth + 1) else {
            throw failure("has a subquery without a predicate as \(what)")
        }
        return FoundationSupplement.NSExpression(
            forSubquery: try required(object["NSCollection"], what, depth),
            usingIteratorVariable: try archive.requiredString(object["NSVariable"], "a variable of \(what)"),
            predicate: predicate)
    }

    private mutating func conditional(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> FoundationSupplement.NSExpression {
        guard let predicate = try predicate(object["NSPredicate"], what, depth: depth + 1) else {
            throw failure("has a conditional without a predicate as \(what)")
        }
        return FoundationSupplement.NSExpression(
            forConditional: predicate, trueExpression: try required(object["NSTrueExpression"], what, depth),
            falseExpression: try required(object["NSFalseExpression"], what, depth))
    }
}
