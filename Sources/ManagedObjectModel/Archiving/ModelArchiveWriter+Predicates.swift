import FoundationSupplement

extension ModelArchiveWriter {
    private typealias Operator = FoundationSupplement.NSComparisonPredicate.Operator

    /// The reference to a predicate; to nothing for nil and for predicates that are Swift closures.
    mutating func predicate(_ predicate: NSPredicate?) -> PropertyListValue {
        switch predicate {
        case let comparison as FoundationSupplement.NSComparisonPredicate:
            return builder.add(
                "NSComparisonPredicate",
                [
                    "NSLeftExpression": expression(comparison.leftExpression),
                    "NSRightExpression": expression(comparison.rightExpression),
                    "NSPredicateOperator": comparisonOperator(comparison),
                ])
        case let compound as Foundation.NSCompoundPredicate:
            let parts = compound.subpredicates.map { self.predicate($0) }
            return builder.add(
                "NSCompoundPredicate",
                [
                    "NSCompoundPredicateType": .integer(Int64(compound.compoundPredicateType.rawValue)),
                    "NSSubpredicates": builder.array("NSArray", parts),
                ])
        case let other?:
            switch other.formatText {
            case "TRUEPREDICATE": return builder.add("NSTruePredicate", [:])
            case "FALSEPREDICATE": return builder.add("NSFalsePredicate", [:])
            default: return KeyedArchiveBuilder.null
            }
        case nil: return KeyedArchiveBuilder.null
        }
    }

    private mutating func comparisonOperator(
        _ comparison: FoundationSupplement.NSComparisonPredicate
    ) -> PropertyListValue {
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
        return builder.add(className, fields)
    }

    private static func operatorClass(_ type: Operator) -> String {
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

    /// The reference to an expression; to nothing for nil.
    ///
    /// No archive with a subquery or a conditional was found: their keys are guesses, which this library reads. What
    /// exists in memory only (a closure, a fetch) becomes the constant nil.
    mutating func expression(_ expression: FoundationSupplement.NSExpression?) -> PropertyListValue {
        guard let expression else { return KeyedArchiveBuilder.null }
        switch expression.storage {
        case .constant(let constant): return typed("NSConstantValueExpression", 0, ["NSConstantValue": value(constant)])
        case .evaluatedObject: return typed("NSSelfExpression", 1, [:])
        case .variable(let name): return typed("NSVariableExpression", 2, ["NSVariable": builder.string(name)])
        case .keyPath(let operand, let path): return keyPath(operand, path)
        case .function(let name, let operand, let arguments): return function(name, operand, arguments)
        case .set(let operation, let left, let right):
            let types: [SetOperation: Int64] = [.union: 5, .intersect: 6, .minus: 7]
            return typed(
                "NSSetExpression", types[operation] ?? 5,
                ["NSLeftExpression": self.expression(left), "NSRightExpression": self.expression(right)])
        case .subquery(let collection, let variable, let condition):
            return typed(
                "NSSubqueryExpression", 13,
                [
                    "NSCollection": self.expression(collection), "NSVariable": builder.string(variable),
                    "NSPredicate": predicate(condition),
                ])
        case .aggregate(let elements):
            return typed("NSAggregateExpression", 14, ["NSCollection": array("NSArray", elements)])
        case .anyKey: return typed("NSAnyKeyExpression", 15, [:])
        case .conditional(let condition, let yes, let no):
            return typed(
                "NSTernaryExpression", 20,
                [
                    "NSPredicate": predicate(condition), "NSTrueExpression": self.expression(yes),
                    "NSFalseExpression": self.expression(no),
                ])
        case .symbolicIndex, .assignment, .block, .fetch:
            return typed("NSConstantValueExpression", 0, ["NSConstantValue": KeyedArchiveBuilder.null])
        }
    }

    private mutating func typed(
        _ className: String, _ type: Int64, _ fields: [String: PropertyListValue]
    ) -> PropertyListValue {
        builder.add(className, fields.merging(["NSExpressionType": .integer(type)]) { first, _ in first })
    }

    private mutating func array(
        _ className: String, _ expressions: [FoundationSupplement.NSExpression]
    ) -> PropertyListValue {
        let elements = expressions.map { expression($0) }
        return builder.array(className, elements)
    }

    /// A key path is a call of `valueForKey:` or `valueForKeyPath:`. On SELF it has a type of its own (3).
    private mutating func keyPath(
        _ operand: FoundationSupplement.NSExpression?, _ path: String
    ) -> PropertyListValue {
        var isOnSelf = true
        if let operand, case .evaluatedObject = operand.storage {} else { isOnSelf = operand == nil }
        let specifier = typed("NSKeyPathSpecifierExpression", 10, ["NSKeyPath": builder.string(path)])
        let isPlain = isOnSelf && !path.contains(".")
        return typed(
            "NSKeyPathExpression", isOnSelf ? 3 : 4,
            [
                "NSOperand": isOnSelf ? expression(.expressionForEvaluatedObject()) : expression(operand),
                "NSSelectorName": builder.string(isPlain ? "valueForKey:" : "valueForKeyPath:"),
                "NSArguments": builder.array("NSMutableArray", [specifier]),
            ])
    }

    private mutating func function(
        _ name: String, _ operand: FoundationSupplement.NSExpression?,
        _ arguments: [FoundationSupplement.NSExpression]
    ) -> PropertyListValue {
        let receiver =
            operand.map { expression($0) }
            ?? typed(
                "NSConstantValueExpression", 0,
                ["NSConstantValueClassName": builder.string(ModelArchiveReader.builtInReceiver)])
        return typed(
            "NSFunctionExpression", 4,
            [
                "NSOperand": receiver, "NSSelectorName": builder.string(name),
                "NSArguments": array("NSArray", arguments),
            ])
    }
}
