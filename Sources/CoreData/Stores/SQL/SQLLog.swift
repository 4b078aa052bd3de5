import FoundationSupplement

/// Apple's switch for seeing the SQL: `-com.apple.CoreData.SQLDebug 1` as an argument, or `COREDATA_SQLDEBUG=1` in the
/// environment. Lines go to standard error, as Apple's do with `-com.apple.CoreData.Logging.stderr 1`.
///
/// Level 1 shows statements and how long they took, level 3 their values too.
package enum SQLLog {
    /// What the program was started with.
    private static let programLevel = level(ProcessInfo.processInfo.arguments, ProcessInfo.processInfo.environment)

    /// What is told of what the current task does: the program's level, or that of a recorder.
    package static var level: Int { recorder?.level ?? programLevel }

    /// Takes the place of standard error for what runs within `$recorder.withValue(_:)`.
    @TaskLocal package static var recorder: SQLLogRecorder?

    package static func level(_ arguments: [String], _ environment: [String: String]) -> Int {
        if let at = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug"), at + 1 < arguments.count {
            return Int(arguments[at + 1]) ?? 0
        }
        return environment["COREDATA_SQLDEBUG"].flatMap(Int.init) ?? 0
    }

    // MARK: What happens

    static func note(_ sql: @autoclosure () -> String) {
        if level > 0 { write("sql: \(sql())") }
    }

    /// The values of a statement's parameters, in their order.
    static func note(_ bindings: [SlotValue]) {
        guard level > 2 else { return }
        for (index, value) in bindings.enumerated() { write("details: SQLite bind[\(index)] = \(value.logText)") }
    }

    static func annotate(_ text: @autoclosure () -> String) {
        if level > 0 { write("annotation: \(text())") }
    }

    /// Runs a request and tells how long it took: `rows` says how many rows its result means.
    static func timing<R>(_ body: () throws -> R, rows: (R) -> Int) rethrows -> R {
        guard level > 0 else { return try body() }
        let start = ContinuousClock.now
        let result = try body()
        let time = text(start.duration(to: .now))
        write("annotation: sql connection fetch time: \(time)")
        write("annotation: total fetch execution time: \(time) for \(rows(result)) rows.")
        return result
    }

    /// The same for a count, which is the result.
    static func timingCount(_ body: () throws -> Int) rethrows -> Int {
        guard level > 0 else { return try body() }
        let start = ContinuousClock.now
        let count = try body()
        write(
            "annotation: total count request execution time: \(text(start.duration(to: .now))) for count of \(count).")
        return count
    }

    private static func text(_ time: Duration) -> String {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        return String(format: "%.4fs", seconds)
    }

    // MARK: What is wrong

    static func warn(_ message: String) { write("warning: \(message)") }

    static func error(_ message: String) { write("error: \(message)") }

    private static func write(_ line: String) {
        if let recorder { return recorder.add("CoreData: \(line)") }
        FileHandle.standardError.write(Data("CoreData: \(line)\n".utf8))
    }
}

/// Keeps what is logged, in place of printing it.
package final class SQLLogRecorder: @unchecked Sendable {
    package let level: Int
    private let lock = NSLock()
    private var kept: [String] = []

    package init(level: Int) { self.level = level }

    package var lines: [String] { lock.withLock { kept } }
    /// The statements.
    package var statements: [String] {
        lines.compactMap { $0.hasPrefix("CoreData: sql: ") ? String($0.dropFirst("CoreData: sql: ".count)) : nil }
    }

    fileprivate func add(_ line: String) { lock.withLock { kept.append(line) } }
}

extension SlotValue {
    /// The value as Apple's log shows it.
    fileprivate var logText: String {
        switch self {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .real(let number), .date(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .data(let data): "<\(data.count) bytes>"
        case .uuid(let uuid): "\(uuid)"
        case .decimal(let number): "\(number)"
        case .uri(let url): "\(url)"
        case .reference(let key, _): "\(key)"
        case .object(let object): "\(object.primaryKey)"
        case .composite, .external, .transformed, .toMany, .fetched: "?"
        }
    }
}
