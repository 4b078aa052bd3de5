import CoreData

/// Values in text, parsed from bytes without making strings.
enum TextValue {
    /// What a text turned out to be.
    enum Parsed<Value> {
        case value(Value), tooLarge, notANumber
    }

    /// A whole number in decimal digits.
    static func integer(_ bytes: UnsafeRawBufferPointer) -> Parsed<Int64> {
        var index = 0
        var isNegative = false
        if let first = bytes.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            index = 1
        }
        guard index < bytes.count else { return .notANumber }
        var value: Int64 = 0
        var isTooLarge = false
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return .notANumber }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? product.subtractingReportingOverflow(Int64(digit)) : product.addingReportingOverflow(Int64(digit))
            isTooLarge = isTooLarge || overflow || carry
            value = sum
            index += 1
        }
        return isTooLarge ? .tooLarge : .value(value)
    }

    /// One of the spellings of true and false, in any case.
    static func boolean(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        guard bytes.count <= 5 else { return nil }
        switch String(decoding: bytes, as: UTF8.self).lowercased() {
        case "true", "yes", "1", "y", "t": return true
        case "false", "no", "0", "n", "f": return false
        default: return nil
        }
    }

    // MARK: Dates

    /// Seconds since 2001-01-01 UTC of an ISO 8601 date or time: `2024-02-29`, `2024-02-29T12:30:00Z`,
    /// `2024-02-29 12:30:00.5+02:00`. Without a zone it is UTC.
    ///
    /// As in Foundation's formatter, and so in the dates that Apple's programs write, days before 1582-10-15 are days
    /// of the Julian calendar.
    static func date(_ bytes: UnsafeRawBufferPointer) -> Double? {
        var scanner = DateScanner(bytes)
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let day = scanner.number(2), year > 0,
            (1...12).contains(month), (1...daysIn(month, year)).contains(day),
            // Days that the change from the Julian calendar left out.
            year != 1582 || month != 10 || !(5...14).contains(day)
        else { return nil }
        let days = Double(daysSince2001(year, month, day)) * 86400
        if scanner.isAtEnd { return days }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "), let hour = scanner.number(2), hour <= 23,
            scanner.skip(":"), let minute = scanner.number(2), minute <= 59
        else { return nil }
        var seconds = 0.0
        if scanner.skip(":") {
            guard let whole = scanner.number(2), whole <= 60 else { return nil }
            guard let fraction = scanner.fraction() else { return nil }
            seconds = Double(whole) + fraction
        }
        guard let zone = scanner.zone(), scanner.isAtEnd else { return nil }
        return days + Double(hour * 3600 + minute * 60 - zone) + seconds
    }

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0 || year < 1582) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 2001-01-01, by counting years from March so that leap days come last.
    private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let isJulian = (year, month, day) < (1582, 10, 15)
        let leaps = isJulian ? shifted / 4 - 2 : shifted / 4 - shifted / 100 + shifted / 400
        let days = shifted * 365 + leaps + (monthFromMarch * 153 + 2) / 5 + day - 1
        return days - 730_791  // the same for 2001-01-01
    }

    private struct DateScanner {
        private let bytes: UnsafeRawBufferPointer
        private var index = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isAtEnd: Bool { index == bytes.count }

        mutating func number(_ digits: Int) -> Int? {
            guard index + digits <= bytes.count else { return nil }
            var value = 0
            for _ in 0..<digits {
                let digit = bytes[index] &- UInt8(ascii: "0")
                guard digit <= 9 else { return nil }
                value = value * 10 + Int(digit)
                index += 1
            }
            return value
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        /// `.25` or nothing; nil when the point has no digits after it.
        mutating func fraction() -> Double? {
            guard skip(".") || skip(",") else { return 0 }
            let start = index
            var (value, scale) = (0.0, 1.0)
            while let digit = number(1) {
                // More digits than a double holds would only blur it.
                guard index - start <= 15 else { continue }
                value = value * 10 + Double(digit)
                scale *= 10
            }
            return index > start ? value / scale : nil
        }

        /// Seconds east of UTC; a space before them is how Foundation describes a date.
        mutating func zone() -> Int? {
            if bytes.count - index > 1 { _ = skip(" ") }
            if isAtEnd || skip("Z") || skip("z") { return 0 }
            let sign: Int
            if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
            guard let hours = number(2), hours <= 18 else { return nil }
            if isAtEnd { return sign * hours * 3600 }
            _ = skip(":")
            guard let minutes = number(2), minutes <= 59 else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
