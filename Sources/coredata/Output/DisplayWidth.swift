extension String {
    /// How many columns of a terminal the text takes.
    var displayWidth: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text cut to a number of columns, with an ellipsis in place of what was cut.
    func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var result = ""
        var used = 0
        for character in self {
            used += character.displayWidth
            if used > width - 1 { break }
            result.append(character)
        }
        return width > 0 ? result + "…" : ""
    }

    /// The text with spaces behind it, or before it, up to a number of columns.
    func padded(to width: Int, onLeft: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - displayWidth))
        return onLeft ? spaces + self : self + spaces
    }
}

extension Character {
    /// How many columns the character takes: 2 for East Asian ones and emoji, 0 for a mark on its own.
    fileprivate var displayWidth: Int {
        let scalars = unicodeScalars
        if scalars.contains("\u{FE0F}") { return 2 }
        return scalars.lazy.map(\.displayWidth).first { $0 > 0 } ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        if value < 0x300 { return value < 0x20 || value == 0x7f ? 0 : 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wideRanges.contains { $0.contains(value) } ? 2 : 1
    }

    /// The blocks whose characters Unicode's East Asian Width calls wide or full width.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
