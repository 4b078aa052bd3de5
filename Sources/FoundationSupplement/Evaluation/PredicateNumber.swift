/// A number of a predicate, whatever type it came in.
package enum PredicateNumber: Equatable, Sendable {
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)

    init(_ value: UInt64) {
        self = Int64(exactly: value).map(PredicateNumber.integer) ?? .decimal(Decimal(value))
    }

    init(_ number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q"): self.init(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    package var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        // Linux's `NSDecimalNumber.doubleValue` isn't the nearest one: 19.99 becomes 19.990000000000002.
        case .decimal(let value): Double("\(value)") ?? NSDecimalNumber(decimal: value).doubleValue
        }
    }

    /// The number without its fraction, if it fits.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        case .decimal: Int64(exactly: double.rounded(.towardZero))
        }
    }

    /// The Swift value: `Int`, `Double` or `Decimal`.
    package var value: Any {
        switch self {
        case .integer(let value): Int(value)
        case .real(let value): value
        case .decimal(let value): value
        }
    }

    private var decimal: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .real: nil
        case .decimal(let value): value
        }
    }

    /// The order of two numbers; `nil` when one of them isn't a number (NaN).
    package func compared(to other: PredicateNumber) -> ComparisonResult? {
        if case .integer(let left) = self, case .integer(let right) = other { return Self.order(left, right) }
        // Decimals are exact among themselves and with integers. With binary fractions they compare as such.
        if let left = decimal, let right = other.decimal { return Self.order(left, right) }
        if case .integer(let left) = self, case .real(let right) = other { return Self.order(left, right) }
        if case .real(let left) = self, case .integer(let right) = other { return Self.order(right, left)?.reversed }
        return Self.order(double, other.double)
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult? {
        if left < right { return .orderedAscending }
        if left > right { return .orderedDescending }
        return left == right ? .orderedSame : nil
    }

    /// Compares exactly: large integers have no exact `Double`.
    private static func order(_ left: Int64, _ right: Double) -> ComparisonResult? {
        if right.isNaN { return nil }
        guard let whole = Int64(exactly: right.rounded(.down)) else {
            return right > 0 ? .orderedAscending : .orderedDescending
        }
        if left == whole { return Double(whole) == right ? .orderedSame : .orderedAscending }
        return left < whole ? .orderedAscending : .orderedDescending
    }
}

extension ComparisonResult {
    /// The order of the same two values when they change places.
    package var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}
