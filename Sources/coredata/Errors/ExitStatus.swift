import CSQLite
import CoreData
import StartingData

/// How the tool ends: the numbers of `sysexits.h`.
enum ExitStatus: Int32 {
    /// Done.
    case done = 0
    /// Done, and differences or faults were found.
    case findings = 1
    /// The command line is wrong, or names what the store doesn't have.
    case usage = 64
    /// A file is not what it should be; nothing was written.
    case badData = 65
    /// A file is not there.
    case noInput = 66
    /// A bug of ours.
    case bug = 70
    /// Reading or writing failed: a full disk, a broken one.
    case io = 74
    /// The system doesn't allow it.
    case noPermission = 77
    /// Interrupted with Control-C.
    case interrupted = 130

    /// The one place that says how the tool ends after an error.
    init(for error: any Error) {
        self =
            switch error {
            case is BrokenPipe: .done
            case is Findings: .findings
            case is Interrupted: .interrupted
            case is UsageError, is PredicateFormatError: .usage
            case let error as InputError: error.status
            case is SourceError, is ModelFileError: .badData
            case let error as SQLiteError: Self.status(sqlite: error.code)
            case let error as OutputError: Self.status(errno: error.number)
            case let error as CocoaError: Self.status(cocoa: error)
            default: Self.status(other: error as NSError)
            }
    }

    private static func status(cocoa error: CocoaError) -> ExitStatus {
        if let number = error.userInfo[NSSQLiteErrorDomain] as? NSNumber {
            return status(sqlite: number.int32Value & 0xff)
        }
        switch error.code {
        case .coreData: return .usage
        case .fileNoSuchFile, .fileReadNoSuchFile: return .noInput
        case .fileReadNoPermission, .fileWriteNoPermission: return .noPermission
        case .fileReadUnknown, .fileWriteUnknown, .fileWriteFileExists, .fileWriteOutOfSpace, .fileWriteVolumeReadOnly,
            .persistentStoreTimeout:
            return .io
        case .fileReadCorruptFile, .persistentStoreOpen, .persistentStoreInvalidType, .persistentStoreTypeMismatch,
            .persistentStoreIncompatibleSchema, .persistentStoreIncompatibleVersionHash, .managedObjectConstraintMerge,
            .managedObjectReferentialIntegrity:
            return .badData
        case let code where (1550...1699).contains(code.rawValue): return .badData
        default: return status(other: error as NSError)
        }
    }

    private static func status(sqlite code: Int32) -> ExitStatus {
        switch code {
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED: .io
        case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: .noPermission
        // A table or column that isn't there: the store or the model is at fault.
        case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG,
            SQLITE_FORMAT:
            .badData
        default: .bug
        }
    }

    private static func status(other error: NSError) -> ExitStatus {
        if error.domain == NSPOSIXErrorDomain { return status(errno: Int32(truncatingIfNeeded: error.code)) }
        guard let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError else { return .bug }
        return status(other: underlying)
    }

    private static func status(errno number: Int32) -> ExitStatus {
        switch number {
        case ENOENT, ENOTDIR: .noInput
        case EACCES, EPERM: .noPermission
        default: .io
        }
    }
}
