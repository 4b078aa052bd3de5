import FoundationSupplement

/// The values of attributes that may be stored in files of their own: the first byte says where a value is.
struct ExternalData {
    /// The data follows.
    static let inlineMark: UInt8 = 1
    /// The name of a file follows.
    static let fileMark: UInt8 = 2

    /// The store's file; the folder with its external data lies beside it.
    let store: URL?

    func value(_ stored: Data) throws -> SlotValue {
        guard let mark = stored.first else { return .null }
        let rest = stored.dropFirst()
        switch mark {
        case Self.inlineMark: return .data(Data(rest))
        case Self.fileMark: return .data(try content(String(decoding: rest.prefix { $0 != 0 }, as: UTF8.self)))
        default: throw CocoaError.store(.fileReadCorruptFile, store, "an externally stored value is marked \(mark)")
        }
    }

    private func content(_ name: String) throws -> Data {
        // Only a UUID is a name: whatever else stands there leads to no file.
        guard UUID(uuidString: name) != nil, let store else {
            throw CocoaError.store(
                .fileReadCorruptFile, store, "an externally stored value has the file name '\(name)'")
        }
        let file = Self.folder(ofStoreAt: store).appendingPathComponent("_EXTERNAL_DATA/\(name)")
        do {
            return try Data(contentsOf: file)
        } catch {
            throw CocoaError.store(.fileReadNoSuchFile, file, "the file of an externally stored value can't be read")
        }
    }

    /// The folder beside a store's file for what is not in it.
    static func folder(ofStoreAt store: URL) -> URL {
        let base = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(base)_SUPPORT")
    }
}
