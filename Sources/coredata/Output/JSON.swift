/// A JSON value whose keys stay in order and whose numbers stay as they were written.
enum JSON {
    case null
    case bool(Bool)
    /// A number, given as its digits.
    case literal(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// A whole number.
    static func int(_ number: Int) -> JSON { .literal(String(number)) }
    /// A text, or null.
    static func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    /// The value in one line.
    var compact: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .literal(let digits): digits
        case .string(let text): Self.quoted(text)
        case .array(let members): "[" + members.map(\.compact).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0)): \($1.compact)" }.joined(separator: ", ") + "}"
        }
    }

    /// The value for people: the members of the outermost object, and of the arrays in it, on lines of their own.
    var pretty: String {
        guard case .object(let members) = self else { return compact }
        let lines = members.map { name, value in "  \(Self.quoted(name)): \(value.prettyMember)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}"
    }

    private var prettyMember: String {
        guard case .array(let members) = self, case .object = members.first else { return compact }
        return "[\n" + members.map { "    \($0.compact)" }.joined(separator: ",\n") + "\n  ]"
    }

    /// A text in quotation marks, with escapes where JSON demands them.
    static func quoted(_ text: String) -> String {
        // 0xE2 begins U+2028, a line break to JavaScript.
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0xE2 }
        if isPlain { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _
            where scalar.value < 0x20 || scalar.value == 0x7f || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
