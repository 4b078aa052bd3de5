import CSQLite
import FoundationSupplement

extension SQLiteStore {
    /// Apple's default is write-ahead logging; a program may ask for other pragmas.
    func setPragmas() throws {
        var pragmas = storeOptions.pragmas
        let journal = pragmas.removeValue(forKey: "journal_mode")
        // The journal is the file's: who only reads leaves it as it is.
        if !isReadOnly {
            let set = try waiting { try setPragma("journal_mode", journal ?? "WAL") }
            if let journal, set?.lowercased() != journal.lowercased(), url?.isInMemory != true {
                throw invalidPragma("journal_mode", journal, "is no journal mode, or can't be set now")
            }
        }
        let others = pragmas.sorted { $0.key < $1.key }
        for (name, value) in others { _ = try setPragma(name, value) }
        try allowReaders(others.map { "PRAGMA \($0.key) = \($0.value)" })
    }

    /// Tries again while others have the file locked, for as long as the program allows. SQLite itself doesn't wait where
    /// two that change a new store's journal could wait for each other.
    private func waiting<R>(_ body: () throws -> R) throws -> R {
        let end = ContinuousClock.now + .milliseconds(storeOptions.timeout)
        while true {
            do {
                return try body()
            } catch let error as SQLiteError where error.code == SQLITE_BUSY && ContinuousClock.now < end {
                usleep(2000)
            }
        }
    }

    private func allowReaders(_ pragmas: [String]) throws {
        guard let url, !url.isInMemory, try connection.text("PRAGMA locking_mode")?.lowercased() == "normal",
            try isReadOnly || connection.text("PRAGMA journal_mode")?.lowercased() == "wal"
        else { return }
        readers.open(
            url, isReadOnly ? .readOnly : .readWrite, busyTimeout: storeOptions.timeout, pragmas: pragmas)
    }

    private func setPragma(_ name: String, _ value: String) throws -> String? {
        // Pragmas take no parameters, so what could be more than a word is refused.
        guard !name.isEmpty, !value.isEmpty,
            (name + value).allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
        else { throw invalidPragma(name, value, "is not a word and a value") }
        do {
            return try connection.text("PRAGMA \(name) = \(value)")
        } catch let error as SQLiteError where error.code == SQLITE_ERROR {
            throw invalidPragma(name, value, error.message)
        }
    }

    private func invalidPragma(_ name: String, _ value: String, _ reason: String) -> CocoaError {
        let reason = "the pragma '\(name) = \(value)' \(reason)"
        var info = CocoaError.store(.fileReadUnknown, url, reason).userInfo
        info[NSSQLiteErrorDomain] = NSNumber(value: SQLITE_ERROR)
        return CocoaError(.fileReadUnknown, userInfo: info)
    }

    func maintain() throws {
        if storeOptions.isOn(NSSQLiteManualVacuumOption) {
            try removeUnusedFiles()
            try connection.execute("VACUUM")
        }
        if storeOptions.isOn(NSSQLiteAnalyzeOption) { try connection.execute("ANALYZE") }
    }
}
