import CoreData

extension TextValue {
    /// A plain decimal number, with or without an exponent, as the nearest double; no hexadecimal, infinity or NaN.
    static func double(_ bytes: UnsafeRawBufferPointer) -> Parsed<Double> {
        guard let literal = DecimalLiteral(bytes) else { return .notANumber }
        if let number = literal.exactDouble { return .value(number) }
        // Swift's parser rounds rightly and, unlike strtod, doesn't follow the locale.
        guard let number = Double(String(decoding: bytes, as: UTF8.self)) else { return .notANumber }
        return number.isFinite ? .value(number) : .tooLarge
    }

    /// A plain decimal number that a `Decimal` can hold, as a store keeps it: as the nearest double.
    ///
    /// Going through `Decimal` would be slower and, on Linux, miss the nearest double in the last digit.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Parsed<Double> {
        let parsed = double(bytes)
        if case .value(let number) = parsed, abs(number) >= 1e128 || (number != 0 && abs(number) < 1e-127) {
            return .tooLarge
        }
        return parsed
    }

    /// How many digits a number has, without zeros in front and at the end.
    static func significantDigits(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (count, zeros) = (0, 0)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0"): zeros += count > 0 ? 1 : 0
            case UInt8(ascii: "1")...UInt8(ascii: "9"): (count, zeros) = (count + zeros + 1, 0)
            case UInt8(ascii: "e"), UInt8(ascii: "E"): return count
            default: break
            }
        }
        return count
    }
}

/// A decimal number taken apart: `-1.25e3` is −125 × 10¹.
private struct DecimalLiteral {
    private var isNegative = false
    private var mantissa: UInt64 = 0
    private var exponent = 0
    /// Whether mantissa and exponent say all that the text says.
    private var isWhole = true

    /// Nil for what is no number.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        var digits = 0
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { index = 1 }
        while index < bytes.count, add(bytes[index]) { (index, digits) = (index + 1, digits + 1) }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            while index < bytes.count, add(bytes[index]) {
                (index, digits, exponent) = (index + 1, digits + 1, exponent - 1)
            }
        }
        guard digits > 0 else { return nil }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            switch TextValue.integer(UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...])) {
            case .value(let power) where (-999...999).contains(power): exponent += Int(power)
            case .value, .tooLarge: isWhole = false
            case .notANumber: return nil
            }
            return
        }
        guard index == bytes.count else { return nil }
    }

    /// Adds a digit; false for another character.
    @inline(__always)
    private mutating func add(_ byte: UInt8) -> Bool {
        let digit = byte &- UInt8(ascii: "0")
        guard digit <= 9 else { return false }
        if mantissa < 1 << 53 { mantissa = mantissa * 10 + UInt64(digit) } else { isWhole = false }
        return true
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The number, where one rounding gives it: mantissa and power of ten are doubles themselves.
    var exactDouble: Double? {
        guard isWhole, mantissa <= 1 << 53, abs(exponent) < Self.powersOfTen.count else { return nil }
        let number = Double(mantissa)
        let power = Self.powersOfTen[abs(exponent)]
        let magnitude = exponent < 0 ? number / power : number * power
        return isNegative ? -magnitude : magnitude
    }
}
