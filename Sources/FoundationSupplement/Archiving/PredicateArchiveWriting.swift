/// Writes predicates, expressions and sort descriptors into a keyed archive in Apple's layout: a model's archive, or one
/// of property values.
package protocol PredicateArchiveWriting {
    /// What is thrown for what can't be archived; `Never` where something else stands in its place.
    associatedtype Failure: Error

    /// Adds an object and returns the reference to it.
    mutating func add(_ className: String, _ fields: [String: PropertyListValue]) -> PropertyListValue

    /// Adds a string and returns the reference to it.
    mutating func text(_ text: String) -> PropertyListValue

    /// Adds a constant and returns the reference to it.
    mutating func constant(_ value: Any?) throws(Failure) -> PropertyListValue

    /// Is told of something that exists in memory only. Where it throws nothing, nil takes its place.
    func checkUnarchivable(_ what: String) throws(Failure)
}

/// How many levels of predicates and expressions an archive may have.
let maximumArchivedDepth = 64

extension PredicateArchiveWriting {
    private var nothing: PropertyListValue { .uid(0) }

    /// The reference to a predicate; to nothing for nil.
    package mutating func predicate(_ predicate: NSPredicate?) throws(Failure) -> PropertyListValue {
        guard let predicate else { return nothing }
        return try write(predicate, 0)
    }

    /// The reference to an expression; to nothing for nil.
    ///
    /// No archive with a subquery, a conditional or a custom selector was found: their keys are guesses, which this
    /// library reads.
    package mutating func expression(_ expression: NSExpression?) throws(Failure) -> PropertyListValue {
        guard let expression else { return nothing }
        return try write(expression, 0)
    }

    /// The reference to a sort descriptor.
    package mutating func sortDescriptor(_ descriptor: NSSortDescriptor) throws(Failure) -> PropertyListValue {
        if descriptor.selector == nil { try checkUnarchivable("a sort descriptor with a closure") }
        return add(
            "NSSortDescriptor",
            [
                "NSKey": descriptor.key.map { text($0) } ?? nothing, "NSAscending": .boolean(descriptor.ascending),
                "NSSelector": text((descriptor.selector ?? .compare).rawValue), "NSReverseNullOrder": .boolean(false),
            ])
    }

    private func nothing(_ what: String) throws(Failure) -> PropertyListValue {
        try checkUnarchivable(what)
        return nothing
    }

    private mutating func constantNil(_ what: String) throws(Failure) -> PropertyListValue {
        try checkUnarchivable(what)
        return typed("NSConstantValueExpression", 0, ["NSConstantValue": nothing])
    }

    // MARK: Predicates

    private mutating func write(_ predicate: NSPredicate, _ depth: Int) throws(Failure) -> PropertyListValue {
        guard depth < maximumArchivedDepth else { return try nothing("a predicate with too many levels") }
        switch predicate {
        case let comparison as NSComparisonPredicate:
            return add(
                "NSComparisonPredicate",
                [
                    "NSLeftExpression": try write(comparison.leftExpression, depth + 1),
                    "NSRightExpression": try write(comparison.rightExpression, depth + 1),
                    "NSPredicateOperator": comparisonOperator(comparison),
                ])
        case let compound as Foundation.NSCompoundPredicate:
            var parts: [PropertyListValue] = []
            for part in compound.subpredicates { parts.append(try write(part, depth + 1)) }
            return add(
                "NSCompoundPredicate",
                [
                    "NSCompoundPredicateType": .integer(Int64(compound.compoundPredicateType.rawValue)),
                    "NSSubpredicates": array("NSArray", parts),
                ])
        default:
            switch predicate.formatText {
            case "TRUEPREDICATE": return add("NSTruePredicate", [:])
            case "FALSEPREDICATE": return add("NSFalsePredicate", [:])
            default: return try nothing("a predicate with a closure")
            }
        }
    }

    private mutating func comparisonOperator(_ comparison: NSComparisonPredicate) -> PropertyListValue {
        let type = comparison.predicateOperatorType
        let number = PropertyListValue.integer(Int64(type.rawValue))
        var fields: [String: PropertyListValue] = [
            "NSOperatorType": number,
            "NSModifier": .integer(Int64(comparison.comparisonPredicateModifier.rawValue)),
        ]
        let className = Self.operatorClass(type)
        switch className {
        case "NSComparisonPredicateOperator": fields["NSVariant"] = number
        case "NSEqualityPredicateOperator": fields["NSNegate"] = .boolean(type == .notEqualTo)
        default: break
        }
        let isText = fields.count == 2
        fields[isText ? "NSFlags" : "NSOptions"] = .integer(Int64(comparison.options.rawValue))
        if let selector = comparison.customSelector { fields["NSSelectorName"] = text(selector) }
        return add(className, fields)
    }

    private static func operatorClass(_ type: NSComparisonPredicate.Operator) -> String {
        switch type {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: "NSComparisonPredicateOperator"
        case .equalTo, .notEqualTo: "NSEqualityPredicateOperator"
        case .matches: "NSMatchingPredicateOperator"
        case .like: "NSLikePredicateOperator"
        case .beginsWith, .endsWith: "NSSubstringPredicateOperator"
        case .in, .contains: "NSInPredicateOperator"
        case .between: "NSBetweenPredicateOperator"
        case .customSelector: "NSCustomPredicateOperator"
        }
    }

    // MARK: Expressions

    private mutating func write(_ expression: NSExpression, _ depth: Int) throws(Failure) -> PropertyListValue {
        guard depth < maximumArchivedDepth else { return try constantNil("an expression with too many levels") }
        let next = depth + 1
        switch expression.storage {
        case .constant(let value):
            return typed("NSConstantValueExpression", 0, ["NSConstantValue": try constant(value)])
        case .evaluatedObject: return typed("NSSelfExpression", 1, [:])
        case .variable(let name): return typed("NSVariableExpression", 2, ["NSVariable": text(name)])
        case .keyPath(let operand, let path): return try keyPath(operand, path, next)
        case .function(let name, let operand, let arguments): return try function(name, operand, arguments, next)
        case .set(let operation, let left, let right):
            let types: [SetOperation: Int64] = [.union: 5, .intersect: 6, .minus: 7]
            return typed(
                "NSSetExpression", types[operation] ?? 5,
                ["NSLeftExpression": try write(left, next), "NSRightExpression": try write(right, next)])
        case .subquery(let collection, let variable, let condition):
            return typed(
                "NSSubqueryExpression", 13,
                [
                    "NSCollection": try write(collection, next), "NSVariable": text(variable),
                    "NSPredicate": try write(condition, next),
                ])
        case .aggregate(let elements):
            return typed("NSAggregateExpression", 14, ["NSCollection": try array("NSArray", elements, next)])
        case .anyKey: return typed("NSAnyKeyExpression", 15, [:])
        case .conditional(let condition, let yes, let no):
            return typed(
                "NSTernaryExpression", 20,
                [
                    "NSPredicate": try write(condition, next), "NSTrueExpression": try write(yes, next),
                    "NSFalseExpression": try write(no, next),
                ])
        case .symbolicIndex(let index):
            return typed("NSSymbolicExpression", 11, ["NSConstantValue": text(index.rawValue)])
        case .assignment, .block, .fetch: return try constantNil("an expression with a closure, a fetch or \":=\"")
        }
    }

    private mutating func typed(
        _ className: String, _ type: Int64, _ fields: [String: PropertyListValue]
    ) -> PropertyListValue {
        add(className, fields.merging(["NSExpressionType": .integer(type)]) { first, _ in first })
    }

    private mutating func array(_ className: String, _ elements: [PropertyListValue]) -> PropertyListValue {
        add(className, ["NS.objects": .array(elements)])
    }

    private mutating func array(
        _ className: String, _ expressions: [NSExpression], _ depth: Int
    ) throws(Failure) -> PropertyListValue {
        var elements: [PropertyListValue] = []
        for expression in expressions { elements.append(try write(expression, depth)) }
        return array(className, elements)
    }

    /// A key path is a call of `valueForKey:` or `valueForKeyPath:`. On SELF it has a type of its own (3).
    private mutating func keyPath(
        _ operand: NSExpression?, _ path: String, _ depth: Int
    ) throws(Failure) -> PropertyListValue {
        let isOnSelf = operand?.isEvaluatedObject ?? true
        let specifier = typed("NSKeyPathSpecifierExpression", 10, ["NSKeyPath": text(path)])
        let isPlain = isOnSelf && !path.contains(".")
        return typed(
            "NSKeyPathExpression", isOnSelf ? 3 : 4,
            [
                "NSOperand": try write(operand ?? .expressionForEvaluatedObject(), depth),
                "NSSelectorName": text(isPlain ? "valueForKey:" : "valueForKeyPath:"),
                "NSArguments": array("NSMutableArray", [specifier]),
            ])
    }

    private mutating func function(
        _ name: String, _ operand: NSExpression?, _ arguments: [NSExpression], _ depth: Int
    ) throws(Failure) -> PropertyListValue {
        let receiver: PropertyListValue
        if let operand {
            receiver = try write(operand, depth)
        } else {
            receiver = typed("NSConstantValueExpression", 0, ["NSConstantValueClassName": text(predicateUtilities)])
        }
        return typed(
            "NSFunctionExpression", 4,
            [
                "NSOperand": receiver, "NSSelectorName": text(name),
                "NSArguments": try array("NSArray", arguments, depth),
            ])
    }
}
