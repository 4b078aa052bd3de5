import CoreData

/// How amounts are written for people.
enum Amounts {
    /// `1,234,567`
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 file`, `12 files`; `plural` where it is not the noun with an s.
    static func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// `12 bytes`, `3.4 MB`
    static func bytes(_ count: Int) -> String {
        if count < 1000 { return counted(count, "byte") }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 999.5 { return "\(fixed(value, value < 9.95 ? 1 : 0)) \(unit)" }
            value /= 1000
        }
        return "\(fixed(value, 1)) TB"
    }

    /// `0.42 s`, `12 s`, `3 min 20 s`
    static func seconds(_ seconds: Double) -> String {
        if seconds < 10 { return "\(fixed(seconds, 2)) s" }
        let whole = Int(seconds.rounded())
        return whole < 120 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }

    /// A number with a fixed number of digits behind the point.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", locale: nil, value)
    }
}
