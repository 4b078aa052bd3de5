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
    private let folder: URL?

    init(store: URL?) {
        self.store = store
        folder = store.map(Self.files)
    }

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
        guard name.utf8.count == 36, UUID(uuidString: name) != nil, let folder else {
            throw CocoaError.store(
                .fileReadCorruptFile, store, "an externally stored value has the file name '\(name)'")
        }
        return folder.appendingPathComponent(name)
    }

    /// The folder for what is not in a store's file: beside the file itself, as its log is, not beside a link to it.
    static func folder(ofStoreAt store: URL) -> URL {
        let store = store.resolvingSymlinksInPath()
        let base = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(base)_SUPPORT")
    }

    /// Whether another store may keep its large values in the same folder: one beside it whose name differs in what
    /// follows the last point only.
    static func isShared(_ store: URL) -> Bool {
        let store = store.resolvingSymlinksInPath()
        let base = store.deletingPathExtension().lastPathComponent
        let neighbours = try? FileManager.default.contentsOfDirectory(
            at: store.deletingLastPathComponent(), includingPropertiesForKeys: nil)
        return (neighbours ?? []).contains { other in
            guard other.lastPathComponent != store.lastPathComponent,
                other.deletingPathExtension().lastPathComponent == base,
                let file = FileHandle(forReadingAtPath: other.path)
            else { return false }
            defer { try? file.close() }  // only read from
            return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
        }
    }

    /// The folder in it with the files of large values.
    static func files(ofStoreAt store: URL) -> URL {
        folder(ofStoreAt: store).appendingPathComponent("_EXTERNAL_DATA")
    }
}
