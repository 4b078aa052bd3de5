import CSQLite
import FoundationSupplement

/// The values of attributes that may be stored in files of their own: the first byte says where a value is.
struct ExternalData {
    /// The data follows.
    static let inlineMark: UInt8 = 1
    /// The name of a file follows, and a zero.
    static let fileMark: UInt8 = 2
    /// A value of more bytes than this goes to a file.
    static let limit = 100 * 1024

    /// The store's file; the folder with its external data lies beside it.
    let store: URL?

    /// The value in a column.
    func value(_ statement: SQLiteStatement, _ column: Int32) throws -> SlotValue {
        guard let start = sqlite3_column_blob(statement.handle, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement.handle, column)))
        switch bytes.first {
        case nil: return .null
        case Self.inlineMark?: return .data(Data(bytes.dropFirst()))
        case Self.fileMark?:
            let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            return .external(ExternalValue.value(try file(name)))
        case let mark?:
            throw CocoaError.store(.fileReadCorruptFile, store, "an externally stored value is marked \(mark)")
        }
    }

    /// The name of the file in what a column has; nil for a value that is in the column.
    static func name(_ stored: Data) -> String? {
        guard stored.first == fileMark else { return nil }
        return String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    }

    /// What a column has for a file.
    static func reference(_ value: ExternalValue) -> Data {
        Data([fileMark]) + Data(value.file.lastPathComponent.utf8) + Data([0])
    }

    /// The file of a name. Only a UUID is a name: whatever else stands there leads to no file.
    func file(_ name: String) throws -> URL {
        guard name.utf8.count == 36, UUID(uuidString: name) != nil, let store else {
            throw CocoaError.store(
                .fileReadCorruptFile, store, "an externally stored value has the file name '\(name)'")
        }
        return Self.files(ofStoreAt: store).appendingPathComponent(name)
    }

    /// The folder for what is not in a store's file: beside the file itself, as its log is, not beside a link to it.
    static func folder(ofStoreAt store: URL) -> URL {
        let store = store.resolvingSymlinksInPath()
        let base = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(base)_SUPPORT")
    }

    /// The folder in it with the files of large values.
    static func files(ofStoreAt store: URL) -> URL {
        folder(ofStoreAt: store).appendingPathComponent("_EXTERNAL_DATA")
    }
}
