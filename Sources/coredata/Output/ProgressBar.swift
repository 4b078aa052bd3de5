import CoreData
import Dispatch

/// A bar on standard error that shows how far a work is; nothing where standard error is no terminal.
final class ProgressBar: @unchecked Sendable {
    // Protects what follows: a signal erases the bar from another thread.
    private let lock = NSLock()
    private let isShown: Bool
    private let colour = Terminal.wantsColour
    private let start = DispatchTime.now().uptimeNanoseconds
    private var lastDrawn: UInt64 = 0
    private var isDrawn = false
    private static let interval: UInt64 = 100_000_000

    /// A bar, not drawn yet.
    init(isQuiet: Bool = false) {
        isShown = !isQuiet && Terminal.isTerminal(STDERR_FILENO)
    }

    /// Draws the bar, ten times a second at most.
    func update(_ done: Int, of total: Int?) {
        guard isShown else { return }
        lock.withLock {
            let now = DispatchTime.now().uptimeNanoseconds
            guard now - lastDrawn >= Self.interval else { return }
            lastDrawn = now
            isDrawn = true
            let width = Terminal.width(STDERR_FILENO) ?? 80
            write("\r" + line(done, total, seconds: Double(now - start) / 1e9, width: width - 1) + "\u{1b}[K")
        }
    }

    /// Takes the bar away.
    func erase() {
        lock.withLock {
            if isDrawn { write("\r\u{1b}[K") }
            isDrawn = false
        }
    }

    private func line(_ done: Int, _ total: Int?, seconds: Double, width: Int) -> String {
        guard let total, total > 0 else { return "\(Amounts.bytes(done)) read".cut(to: width) }
        let share = min(1, max(0, Double(done) / Double(total)))
        let percent = "\(Int(share * 100))%".padded(to: 4, onLeft: true)
        var text = "  \(percent)  \(Amounts.bytes(done)) of \(Amounts.bytes(total))"
        if share > 0.02, seconds > 1 { text += "  \(Amounts.seconds(seconds / share * (1 - share))) left" }
        // The same however long the text is, so that the bar doesn't jump.
        let room = min(40, width - 46)
        guard room >= 8 else { return text.cut(to: width) }
        let filled = String(repeating: "#", count: Int(share * Double(room)))
        let empty = String(repeating: "-", count: room - filled.count)
        return "[" + (colour ? "\u{1b}[32m\(filled)\u{1b}[0m" : filled) + empty + "]" + text
    }

    private func write(_ text: String) {
        let output = BufferedOutput(STDERR_FILENO)
        // A bar that can't be drawn is no reason to stop the work.
        try? output.write(text)
        try? output.flush()
    }
}
