/// How constants print in a predicate's text.
enum ConstantText {
    static func text(of value: Any?) -> String {
        guard let value else { return "nil" }
        if let nested = nestedText(of: value) { return nested }
        switch PredicateValue(value) {
        case .null: return "<null>"
        case .number(let number): return text(of: number)
        case .string(let text): return quoted(text)
        case .date(let date): return text(of: date)
        case .other(let other): return collection(other) ?? "\(other)"
        }
    }

    private static func nestedText(of value: Any) -> String? {
        if let predicate = value as? NSPredicate { return predicate.formatText }
        return (value as? NSExpression)?.formatText
    }

    /// The shortest text that reads back as the same number; a Boolean has become 1 or 0.
    private static func text(of number: PredicateNumber) -> String {
        switch number {
        case .integer(let value): return "\(value)"
        case .decimal(let value): return "\(value)"
        case .real(let value):
            let text = "\(value)"
            // Without its fraction it would read as an integer, which has no sign of zero.
            if value == 0, value.sign == .minus { return text }
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
    }

    /// There is no literal for dates; the cast of a number takes its place.
    private static func text(of date: Date) -> String {
        "CAST(\(String(format: "%f", date.timeIntervalSinceReferenceDate)), \"NSDate\")"
    }

    private static func collection(_ value: Any) -> String? {
        if value is any DictionaryValues || value is NSDictionary { return nil }
        guard let elements = collectionElements(of: value) else { return nil }
        return "{" + elements.map { text(of: $0) }.joined(separator: ", ") + "}"
    }

    /// A string literal: quotes and backslashes are escaped, and so are the control characters that would end a line.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
