/// Text in XML.
enum XMLText {
    /// The text with references in place of what XML reads as its own, without what XML can't hold.
    static func escaped(_ text: String) -> String {
        singleLine(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{2028}", "\u{2029}": result += " "  // line breaks, to programs that draw text
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
