/// The classes that archives of predicates name, with their superclasses.
package enum PredicateArchiveClass {
    package static let parents = [
        "NSComparisonPredicate": "NSPredicate",
        "NSCompoundPredicate": "NSPredicate",
        "NSTruePredicate": "NSPredicate",
        "NSFalsePredicate": "NSPredicate",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSEqualityPredicateOperator": "NSPredicateOperator",
        "NSInPredicateOperator": "NSPredicateOperator",
        "NSBetweenPredicateOperator": "NSPredicateOperator",
        "NSLikePredicateOperator": "NSMatchingPredicateOperator",
        "NSMatchingPredicateOperator": "NSStringPredicateOperator",
        "NSSubstringPredicateOperator": "NSStringPredicateOperator",
        "NSStringPredicateOperator": "NSPredicateOperator",
        "NSKeyPathExpression": "NSFunctionExpression",
        "NSFunctionExpression": "NSExpression",
        "NSSelfExpression": "NSExpression",
        "NSConstantValueExpression": "NSExpression",
        "NSVariableExpression": "NSExpression",
        "NSKeyPathSpecifierExpression": "NSExpression",
        "NSAggregateExpression": "NSExpression",
        "NSSetExpression": "NSExpression",
        "NSSubqueryExpression": "NSExpression",
        "NSTernaryExpression": "NSExpression",
        "NSAnyKeyExpression": "NSExpression",
        "NSCustomPredicateOperator": "NSPredicateOperator",
        "NSSymbolicExpression": "NSExpression",
    ]

    /// The class and its superclasses, the class first, as archives list them.
    static func chain(of name: String) -> [String] {
        var chain = [name]
        while let last = chain.last, let parent = parents[last] { chain.append(parent) }
        return chain + ["NSObject"]
    }

    /// What an object of a class is read as; nil for classes that no predicate has.
    static func kind(of name: String) -> Kind? {
        let chain = chain(of: name)
        return Kind.allCases.first { chain.contains($0.rawValue) }
    }

    enum Kind: String, CaseIterable {
        case predicate = "NSPredicate"
        case expression = "NSExpression"
        case sortDescriptor = "NSSortDescriptor"
    }
}
