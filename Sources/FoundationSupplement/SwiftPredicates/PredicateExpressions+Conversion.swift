// Which part of a Swift predicate becomes what. The forms are those of Apple's conversion.

typealias Conversion = SwiftPredicateConversion

// MARK: Values

extension PredicateExpressions.Variable: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(try conversion.value(of: key))
    }
}

extension PredicateExpressions.Value: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(NSExpression(forConstantValue: value))
    }
}

extension PredicateExpressions.NilLiteral: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(NSExpression(forConstantValue: nil))
    }
}

extension PredicateExpressions.KeyPath: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let base = try conversion.expression(root)
        let count = Conversion.path(Root.Output.self is any StringProtocol.Type ? "length" : "@count", on: base)
        switch kind {
        case .collectionCount: return .expression(count)
        case .collectionIsEmpty:
            return .predicate(Conversion.comparison(count, .equalTo, NSExpression(forConstantValue: 0)))
        case .collectionFirst: return .expression(element(.first, of: base))
        case .bidirectionalCollectionLast: return .expression(element(.last, of: base))
        default:
            guard let name = KeyPathNames.name(for: keyPath) else { throw Conversion.Unsupported() }
            return .expression(Conversion.path(name, on: base))
        }
    }

    private func element(_ place: SymbolicIndex, of base: NSExpression) -> NSExpression {
        NSExpression(
            forFunction: "objectFrom:withIndex:", arguments: [base, NSExpression(storage: .symbolicIndex(place))])
    }
}

extension PredicateExpressions.CollectionIndexSubscript: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.call("objectFrom:withIndex:", wrapped, index)
    }
}

extension PredicateExpressions.DictionaryKeySubscript: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.call("objectFrom:withIndex:", wrapped, key)
    }
}

// MARK: Logic and comparison

extension PredicateExpressions.Conjunction: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let parts = [try conversion.predicate(lhs), try conversion.predicate(rhs)]
        return .predicate(NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Disjunction: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let parts = [try conversion.predicate(lhs), try conversion.predicate(rhs)]
        return .predicate(NSCompoundPredicate(orPredicateWithSubpredicates: parts))
    }
}

extension PredicateExpressions.Negation: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .predicate(NSCompoundPredicate(notPredicateWithSubpredicate: try conversion.predicate(wrapped)))
    }
}

extension PredicateExpressions.Equal: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.compare(lhs, .equalTo, rhs)
    }
}

extension PredicateExpressions.NotEqual: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.compare(lhs, .notEqualTo, rhs)
    }
}

extension PredicateExpressions.Comparison: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        switch op {
        case .lessThan: try conversion.compare(lhs, .lessThan, rhs)
        case .lessThanOrEqual: try conversion.compare(lhs, .lessThanOrEqualTo, rhs)
        case .greaterThan: try conversion.compare(lhs, .greaterThan, rhs)
        case .greaterThanOrEqual: try conversion.compare(lhs, .greaterThanOrEqualTo, rhs)
        @unknown default: throw Conversion.Unsupported()
        }
    }
}

extension PredicateExpressions.Conditional: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(
            NSExpression(
                forConditional: try conversion.predicate(test), trueExpression: try conversion.expression(trueBranch),
                falseExpression: try conversion.expression(falseBranch)))
    }
}

// MARK: Optionals

extension PredicateExpressions.ForcedUnwrap: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(try conversion.expression(inner))
    }
}

extension PredicateExpressions.NilCoalesce: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let value = try conversion.expression(lhs)
        return .expression(
            NSExpression(
                forConditional: Conversion.isNotNil(value), trueExpression: value,
                falseExpression: try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.OptionalFlatMap: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let value = try conversion.expression(wrapped)
        conversion.bind(variable.key, to: value)
        return .expression(
            NSExpression(
                forConditional: Conversion.isNotNil(value), trueExpression: try conversion.expression(transform),
                falseExpression: NSExpression(forConstantValue: nil)))
    }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        switch op {
        case .add: try conversion.call("add:to:", lhs, rhs)
        case .subtract: try conversion.call("from:subtract:", lhs, rhs)
        case .multiply: try conversion.call("multiply:by:", lhs, rhs)
        @unknown default: throw Conversion.Unsupported()
        }
    }
}

extension PredicateExpressions.UnaryMinus: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let factors = [try conversion.expression(wrapped), NSExpression(forConstantValue: -1)]
        return .expression(NSExpression(forFunction: "multiply:by:", arguments: factors))
    }
}

extension PredicateExpressions.IntDivision: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.call("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.FloatDivision: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.call("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.call("modulus:by:", lhs, rhs)
    }
}
