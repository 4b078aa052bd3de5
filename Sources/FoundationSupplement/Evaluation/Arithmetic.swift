/// The arithmetic of predicates.
///
/// Integers stay integers as long as the result fits, division included; a result that doesn't fit is a `Double`.
/// nil makes the result nil.
enum Arithmetic {
    /// A number, or nil for nil.
    static func number(_ value: Any?, in function: String) throws -> PredicateNumber? {
        switch PredicateValue(value) {
        case .null: return nil
        case .number(let number): return number
        case let other:
            throw PredicateEvaluationError("\(function) needs numbers, not \(other.description)")
        }
    }

    static func integer(_ value: Any?, in function: String) throws -> Int64? {
        guard let number = try number(value, in: function) else { return nil }
        guard let integer = number.integer else {
            throw PredicateEvaluationError("\(function) needs integers, not \(number.value)")
        }
        return integer
    }

    static func add(_ left: PredicateNumber, _ right: PredicateNumber) -> PredicateNumber {
        apply(left, right, { $0.addingReportingOverflow($1) }, +, +)
    }

    static func subtract(_ left: PredicateNumber, _ right: PredicateNumber) -> PredicateNumber {
        apply(left, right, { $0.subtractingReportingOverflow($1) }, -, -)
    }

    static func multiply(_ left: PredicateNumber, _ right: PredicateNumber) -> PredicateNumber {
        apply(left, right, { $0.multipliedReportingOverflow(by: $1) }, *, *)
    }

    /// The quotient; nil when an integer or a decimal is divided by zero, as in SQL.
    static func divide(_ left: PredicateNumber, _ right: PredicateNumber) -> PredicateNumber? {
        if case .real = right {} else if right.double == 0 { return nil }
        return apply(left, right, { $0.dividedReportingOverflow(by: $1) }, /, /)
    }

    /// The remainder; nil when an integer is divided by zero.
    static func modulus(_ left: PredicateNumber, _ right: PredicateNumber) -> PredicateNumber? {
        if case .integer(let left) = left, case .integer(let right) = right {
            if right == 0 { return nil }
            return .integer(left.remainderReportingOverflow(dividingBy: right).partialValue)
        }
        return .real(left.double.truncatingRemainder(dividingBy: right.double))
    }

    static func raise(_ base: PredicateNumber, to exponent: PredicateNumber) -> PredicateNumber {
        let result = pow(base.double, exponent.double)
        if case .integer = base, case .integer = exponent, abs(result) < 9e15, let whole = Int64(exactly: result) {
            return .integer(whole)
        }
        return .real(result)
    }

    private static func apply(
        _ left: PredicateNumber, _ right: PredicateNumber,
        _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ decimals: (Decimal, Decimal) -> Decimal, _ reals: (Double, Double) -> Double
    ) -> PredicateNumber {
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            let (result, overflow) = integers(left, right)
            return overflow ? .real(reals(Double(left), Double(right))) : .integer(result)
        case (.decimal(let left), .decimal(let right)): return .decimal(decimals(left, right))
        case (.decimal(let left), .integer(let right)): return .decimal(decimals(left, Decimal(right)))
        case (.integer(let left), .decimal(let right)): return .decimal(decimals(Decimal(left), right))
        default: return .real(reals(left.double, right.double))
        }
    }

    // MARK: Collections

    /// The sum; nil values don't count.
    static func sum(_ values: [Any?]) throws -> PredicateNumber {
        try numbers(values, in: "sum").reduce(.integer(0), add)
    }

    /// The mean of the values that aren't nil; nil when there are none.
    static func average(_ values: [Any?]) throws -> Any? {
        let numbers = try numbers(values, in: "average")
        if numbers.isEmpty { return nil }
        let sum = numbers.reduce(.integer(0), add)
        if case .decimal(let total) = sum { return total / Decimal(numbers.count) }
        return sum.double / Double(numbers.count)
    }

    static func numbers(_ values: [Any?], in function: String) throws -> [PredicateNumber] {
        try values.compactMap { try number($0, in: function) }
    }

    /// The smallest or the largest value; nil values don't count.
    static func extreme(_ values: [Any?], _ wanted: ComparisonResult) throws -> Any? {
        var best: Any?
        for case let value? in values where !PredicateValue(value).isNull {
            guard let current = best else {
                best = value
                continue
            }
            if try PredicateValue.order(PredicateValue(value), PredicateValue(current)) == wanted { best = value }
        }
        return best
    }
}
