import CoreData

/// Dates as ISO 8601 writes them, in UTC: `2024-02-29T12:00:00Z`, with a fraction only where there is one.
enum ISODate {
    private static let secondsPerDay = 86_400
    private static let daysFrom1970To2001 = 11_323

    /// The text of a number of seconds since 2001, with as many digits as tell it from all others.
    static func text(_ seconds: Double) -> String {
        // Further away than any calendar goes.
        guard seconds.isFinite, abs(seconds) < 1e14 else { return seconds.description }
        let whole = seconds.rounded(.down)
        let total = Int(whole)
        let day = Int((Double(total) / Double(secondsPerDay)).rounded(.down))
        let second = total - day * secondsPerDay
        let (year, month, dayOfMonth) = civil(day + daysFrom1970To2001)
        let date = "\(yearText(year))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
        let time = "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return "\(date)T\(time)\(fraction(seconds, whole))Z"
    }

    /// The shortest fraction that makes the same number again.
    private static func fraction(_ seconds: Double, _ whole: Double) -> String {
        let rest = seconds - whole
        guard rest > 0 else { return "" }
        var scale = 1.0
        for digits in 1...15 {
            scale *= 10
            let scaled = (rest * scale).rounded()
            if scaled < scale, whole + scaled / scale == seconds || digits == 15 {
                return "." + padded(Int(scaled), digits)
            }
        }
        return ""
    }

    /// Year, month and day of a number of days since 1970 (<https://howardhinnant.github.io/date_algorithms.html>): in
    /// the Gregorian calendar, and before 1582-10-15 in the Julian one, as Foundation's formatters and our import have
    /// it.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        days < firstGregorianDay ? julian(days) : gregorian(days)
    }

    private static let firstGregorianDay = -141_427

    private static func julian(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_470  // since March of the year 0
        let era = (shifted >= 0 ? shifted : shifted - 1460) / 1461
        let dayOfEra = shifted - era * 1461
        let yearOfEra = (dayOfEra - dayOfEra / 1460) / 365
        return date(yearFromMarch: yearOfEra + era * 4, dayOfYear: dayOfEra - 365 * yearOfEra)
    }

    private static func gregorian(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        return date(
            yearFromMarch: yearOfEra + era * 400,
            dayOfYear: dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100))
    }

    private static func date(yearFromMarch: Int, dayOfYear: Int) -> (year: Int, month: Int, day: Int) {
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearFromMarch + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Four digits; more, with a sign, for years that need it.
    private static func yearText(_ year: Int) -> String {
        if (0...9999).contains(year) { return padded(year, 4) }
        return (year < 0 ? "-" : "+") + padded(abs(year), 6)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
