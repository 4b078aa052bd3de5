// MARK: Ranges

extension PredicateExpressions.Range: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        // A half-open range is no value of the language; RangeExpressionContains takes it apart.
        throw Conversion.Unsupported()
    }
}

extension PredicateExpressions.RangeExpressionContains: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let value = try conversion.expression(element)
        guard let bounds = try (range as? any RangeBounds)?.bounds(&conversion) else { throw Conversion.Unsupported() }
        if bounds.isClosed {
            let pair = NSExpression(forAggregate: [bounds.lower, bounds.upper])
            return .predicate(Conversion.comparison(value, .between, pair))
        }
        let parts = [
            Conversion.comparison(value, .greaterThanOrEqualTo, bounds.lower),
            Conversion.comparison(value, .lessThan, bounds.upper),
        ]
        return .predicate(NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }
}

/// Parts that are a range: two bounds, or a constant.
private protocol RangeBounds {
    typealias Bounds = (lower: NSExpression, upper: NSExpression, isClosed: Bool)

    func bounds(_ conversion: inout Conversion) throws -> Bounds
}

extension PredicateExpressions.Range: RangeBounds {
    fileprivate func bounds(_ conversion: inout Conversion) throws -> Bounds {
        (try conversion.expression(lower), try conversion.expression(upper), false)
    }
}

extension PredicateExpressions.ClosedRange: RangeBounds {
    fileprivate func bounds(_ conversion: inout Conversion) throws -> Bounds {
        (try conversion.expression(lower), try conversion.expression(upper), true)
    }
}

extension PredicateExpressions.Value: RangeBounds {
    fileprivate func bounds(_ conversion: inout Conversion) throws -> Bounds {
        guard let range = value as? any ConstantRange else { throw Conversion.Unsupported() }
        let (lower, upper, isClosed) = range.constants
        return (NSExpression(forConstantValue: lower), NSExpression(forConstantValue: upper), isClosed)
    }
}

private protocol ConstantRange {
    var constants: (lower: Any, upper: Any, isClosed: Bool) { get }
}

extension Range: ConstantRange {
    fileprivate var constants: (lower: Any, upper: Any, isClosed: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: ConstantRange {
    fileprivate var constants: (lower: Any, upper: Any, isClosed: Bool) { (lowerBound, upperBound, true) }
}

// MARK: Strings

extension PredicateExpressions.CollectionContainsCollection: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        guard Base.Output.self is any StringProtocol.Type else { throw Conversion.Unsupported() }
        return try conversion.compare(base, .contains, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        guard Base.Output.self is any StringProtocol.Type else { throw Conversion.Unsupported() }
        return try conversion.compare(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.StringContainsRegex: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        guard let value = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex> else {
            throw Conversion.Unsupported()
        }
        // MATCHES is about the whole string.
        let pattern = NSExpression(forConstantValue: ".*" + value.value.stringRepresentation + ".*")
        return .predicate(Conversion.comparison(try conversion.expression(subject), .matches, pattern))
    }
}

// MARK: Sequences

extension PredicateExpressions.SequenceContains: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        try conversion.compare(element, .in, sequence)
    }
}

extension PredicateExpressions.SequenceContainsWhere: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let count = Conversion.path("@count", on: try conversion.subquery(sequence, variable.key, test))
        return .predicate(Conversion.comparison(count, .notEqualTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        let subquery = try conversion.subquery(sequence, variable.key, test, negated: true)
        let count = Conversion.path("@count", on: subquery)
        return .predicate(Conversion.comparison(count, .equalTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.Filter: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(try conversion.subquery(sequence, variable.key, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(Conversion.path("@max.self", on: try conversion.expression(elements)))
    }
}

extension PredicateExpressions.SequenceMinimum: SwiftPredicatePart {
    func converted(_ conversion: inout Conversion) throws -> Conversion.Part {
        .expression(Conversion.path("@min.self", on: try conversion.expression(elements)))
    }
}
