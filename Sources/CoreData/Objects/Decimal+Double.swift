import FoundationSupplement

extension Decimal {
    /// The double nearest to the decimal. `NSDecimalNumber.doubleValue` is wrong in the last digit on Linux.
    package var nearestDouble: Double { Double("\(self)") ?? NSDecimalNumber(decimal: self).doubleValue }
}
