import CoreData

/// What there is to know of a terminal.
enum Terminal {
    /// Whether a descriptor leads to a terminal that moves its cursor.
    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// How many columns a terminal has; nil for anything else.
    static func width(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard isTerminal(descriptor) else { return nil }
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether colours are wanted: <https://no-color.org>.
    static var wantsColour: Bool { ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty }
}
