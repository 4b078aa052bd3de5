/// Reads predicates, expressions and sort descriptors from a keyed archive in Apple's layout: a model's archive, or one
/// of property values.
package protocol PredicateArchiveReading {
    var archive: KeyedArchive { get }

    /// A constant; nil for none.
    mutating func value(_ reference: PropertyListValue?, _ what: String, depth: Int) throws -> Any?

    /// Counts one more thing that was read. Objects are shared in archives, so a small one could describe a tree without
    /// end.
    mutating func spend(_ what: String) throws
}

private let operatorClasses: Set = [
    "NSComparisonPredicateOperator", "NSEqualityPredicateOperator", "NSInPredicateOperator", "NSLikePredicateOperator",
    "NSMatchingPredicateOperator", "NSSubstringPredicateOperator", "NSBetweenPredicateOperator",
    "NSCustomPredicateOperator",
]

extension PredicateArchiveReading {
    private func failure(_ reason: String) -> any Error { archive.failure(reason) }

    /// A predicate; nil for none.
    package mutating func predicate(_ reference: PropertyListValue?, _ what: String) throws -> NSPredicate? {
        try predicate(reference, what, depth: 0)
    }

    private mutating func predicate(
        _ reference: PropertyListValue?, _ what: String, depth: Int
    ) throws -> NSPredicate? {
        try archive.object(reference).map { try predicate(of: $0, what, depth: depth) }
    }

    mutating func predicate(of object: ArchivedObject, _ what: String, depth: Int = 0) throws -> NSPredicate {
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
            return NSCompoundPredicate(type: known, subpredicates: parts)
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
            let comparison = try archive.object(object["NSPredicateOperator"], operatorClasses, what)
        else { throw failure("has a comparison without sides or operator as \(what)") }
        let type = try archive.integer(comparison["NSOperatorType"], what)
        if let selector = try archive.string(comparison["NSSelectorName"], what) {
            return NSComparisonPredicate(leftExpression: left, rightExpression: right, customSelector: selector)
        }
        let modifier = try archive.integer(comparison["NSModifier"], what)
        guard let known = UInt(exactly: type).flatMap(NSComparisonPredicate.Operator.init),
            known != .customSelector,
            let quantifier = UInt(exactly: modifier).flatMap(NSComparisonPredicate.Modifier.init)
        else { throw failure("has a comparison with the unknown operator \(type) or modifier \(modifier) as \(what)") }
        // Operators on strings keep their options under another key.
        let options = try archive.integer(comparison["NSOptions"] ?? comparison["NSFlags"], what)
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: quantifier, type: known,
            options: .init(rawValue: UInt(exactly: options) ?? 0))
    }

    private mutating func descend(_ what: String, _ depth: Int) throws {
        try spend(what)
        guard depth < maximumArchivedDepth else {
            throw failure("has an expression that is nested too deeply as \(what)")
        }
    }

    // MARK: Expressions

    /// An expression; nil for none.
    package mutating func expression(_ reference: PropertyListValue?, _ what: String) throws -> NSExpression? {
        try expression(reference, what, depth: 0)
    }

    private mutating func expression(
        _ reference: PropertyListValue?, _ what: String, depth: Int
    ) throws -> NSExpression? {
        try archive.object(reference).map { try expression(of: $0, what, depth: depth) }
    }

    mutating func expression(of object: ArchivedObject, _ what: String, depth: Int = 0) throws -> NSExpression {
        try descend(what, depth)
        switch object.className {
        case "NSSelfExpression": return .expressionForEvaluatedObject()
        case "NSAnyKeyExpression": return .expressionForAnyKey()
        case "NSConstantValueExpression":
            if let name = try archive.string(object["NSConstantValueClassName"], what) {
                return NSExpression(forConstantValue: name)
            }
            return NSExpression(forConstantValue: try value(object["NSConstantValue"], what, depth: 0))
        case "NSVariableExpression":
            return NSExpression(
                forVariable: try archive.requiredString(object["NSVariable"], "a variable of \(what)"))
        case "NSKeyPathSpecifierExpression":
            return NSExpression(
                forKeyPath: try archive.requiredString(object["NSKeyPath"], "a key path of \(what)"))
        case "NSKeyPathExpression": return try keyPath(object, what, depth)
        case "NSSymbolicExpression":
            let name = try archive.requiredString(object["NSConstantValue"], "an index of \(what)")
            guard let index = SymbolicIndex(rawValue: name) else {
                throw failure("has the unknown index '\(name)' as \(what)")
            }
            return NSExpression(storage: .symbolicIndex(index))
        case "NSFunctionExpression": return try function(object, what, depth)
        case "NSAggregateExpression":
            return NSExpression(
                forAggregate: try expressions(object["NSCollection"], what, depth))
        case "NSSetExpression": return try set(object, what, depth)
        case "NSSubqueryExpression": return try subquery(object, what, depth)
        case "NSTernaryExpression": return try conditional(object, what, depth)
        default: throw archive.unknown(object, what)
        }
    }

    private mutating func expressions(
        _ reference: PropertyListValue?, _ what: String, _ depth: Int
    ) throws -> [NSExpression] {
        try archive.elements(reference, what).compactMap { try expression($0, what, depth: depth + 1) }
    }

    private mutating func required(
        _ reference: PropertyListValue?, _ what: String, _ depth: Int
    ) throws -> NSExpression {
        guard let expression = try expression(reference, what, depth: depth + 1) else {
            throw failure("has an incomplete expression as \(what)")
        }
        return expression
    }

    /// `name` is archived as `valueForKey:` on SELF, `$x.name` as `valueForKeyPath:` on the variable.
    private mutating func keyPath(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> NSExpression {
        let operand = try required(object["NSOperand"], what, depth)
        guard let argument = try archive.elements(object["NSArguments"], what).first,
            case .keyPath(nil, let path) = try required(argument, what, depth).storage
        else { throw failure("has a key path without a path as \(what)") }
        if case .evaluatedObject = operand.storage { return NSExpression(forKeyPath: path) }
        return NSExpression(storage: .keyPath(operand: operand, path: path))
    }

    /// The receiver of a built-in function is a class of Foundation's, of which the archive has the name.
    private mutating func function(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> NSExpression {
        let name = try archive.requiredString(object["NSSelectorName"], "a function of \(what)")
        let arguments = try expressions(object["NSArguments"], what, depth)
        let operand = try archive.object(object["NSOperand"])
        let isBuiltIn = try archive.string(operand?["NSConstantValueClassName"], what) == predicateUtilities
        if operand == nil || isBuiltIn {
            return NSExpression(forFunction: name, arguments: arguments)
        }
        return NSExpression(
            forFunction: try required(object["NSOperand"], what, depth), selectorName: name, arguments: arguments)
    }

    private mutating func set(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> NSExpression {
        let left = try required(object["NSLeftExpression"], what, depth)
        let right = try required(object["NSRightExpression"], what, depth)
        switch try archive.integer(object["NSExpressionType"], what) {
        case 5: return NSExpression(forUnionSet: left, with: right)
        case 6: return NSExpression(forIntersectSet: left, with: right)
        case 7: return NSExpression(forMinusSet: left, with: right)
        default: throw failure("has an unknown set operation as \(what)")
        }
    }

    private mutating func subquery(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> NSExpression {
        guard let predicate = try predicate(object["NSPredicate"], what, depth: depth + 1) else {
            throw failure("has a subquery without a predicate as \(what)")
        }
        return NSExpression(
            forSubquery: try required(object["NSCollection"], what, depth),
            usingIteratorVariable: try archive.requiredString(object["NSVariable"], "a variable of \(what)"),
            predicate: predicate)
    }

    private mutating func conditional(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> NSExpression {
        guard let predicate = try predicate(object["NSPredicate"], what, depth: depth + 1) else {
            throw failure("has a conditional without a predicate as \(what)")
        }
        return NSExpression(
            forConditional: predicate, trueExpression: try required(object["NSTrueExpression"], what, depth),
            falseExpression: try required(object["NSFalseExpression"], what, depth))
    }

    // MARK: Sort descriptors

    /// A sort descriptor; nil for none.
    package func sortDescriptor(_ reference: PropertyListValue?, _ what: String) throws -> NSSortDescriptor? {
        try archive.object(reference, ["NSSortDescriptor"], what).map { try sortDescriptor(of: $0, what) }
    }

    func sortDescriptor(of object: ArchivedObject, _ what: String) throws -> NSSortDescriptor {
        let key = try archive.string(object["NSKey"], "a sort key of \(what)")
        let name =
            try archive.string(object["NSSelector"], "a sort selector of \(what)") ?? SortSelector.compare.rawValue
        guard let selector = SortSelector(rawValue: name) else {
            throw failure("sorts \(what) by the unknown selector '\(name)'")
        }
        return NSSortDescriptor(key: key, ascending: try archive.flag(object["NSAscending"]), selector: selector)
    }
}

/// The class that built-in functions are called on, on Apple's systems. The receiver of one is its name.
let predicateUtilities = "_NSPredicateUtilities"
