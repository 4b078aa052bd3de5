import Foundation

/// The records of one entity in a property list.
struct PropertyListGroup {
    /// The entity; `nil` if the property list is one array.
    var entity: String?
    /// What the array holds.
    var records: PropertyListRecords

    /// The arrays of a property list.
    static func groups(in file: SourceFile) throws -> [PropertyListGroup] {
        guard BinaryPropertyList.isBinary(file) else { return try groupsOfXML(file) }
        do {
            return try groupsOfBinary(file)
        } catch let fault as BinaryPropertyList.Fault {
            throw failure(file, "the property list is damaged: \(fault.message)")
        }
    }

    private static let shape = "an array of dictionaries, or a dictionary of such arrays by entity"

    private static func failure(_ file: SourceFile, _ message: String) -> SourceError {
        SourceError(position: SourcePosition(file: file.name), message: message, endsSource: true)
    }

    private static func wrongShape(_ file: SourceFile, _ kind: String) -> SourceError {
        failure(file, "expected \(shape), but found \(kind)")
    }

    private static func wrongShape(_ file: SourceFile, _ kind: String, key: String) -> SourceError {
        let message = "expected an array of dictionaries, but found \(kind) (a property list is \(shape))"
        return SourceError(
            position: SourcePosition(file: file.name, field: key), message: message, endsSource: true)
    }

    private static func groupsOfBinary(_ file: SourceFile) throws -> [PropertyListGroup] {
        let list = try BinaryPropertyList(file)
        if let records = try list.elements(ofArray: list.root) {
            return [PropertyListGroup(entity: nil, records: .objects(records, list))]
        }
        guard let entities = try list.members(ofDictionary: list.root) else {
            throw wrongShape(file, try list.value(of: list.root).kind)
        }
        return try entities.map { name, object in
            guard let records = try list.elements(ofArray: object) else {
                throw wrongShape(file, try list.value(of: object).kind, key: name)
            }
            return PropertyListGroup(entity: name, records: .objects(records, list))
        }
    }

    private static func groupsOfXML(_ file: SourceFile) throws -> [PropertyListGroup] {
        let root = try propertyListOfXML(file)
        if let records = root as? [Any] { return [PropertyListGroup(entity: nil, records: .values(records))] }
        guard let entities = root as? [String: Any] else {
            throw wrongShape(file, OwnedValue(propertyList: root)?.kind ?? "something else")
        }
        return try entities.sorted { $0.key < $1.key }.map { name, value in
            guard let records = value as? [Any] else {
                throw wrongShape(file, OwnedValue(propertyList: value)?.kind ?? "something else", key: name)
            }
            return PropertyListGroup(entity: name, records: .values(records))
        }
    }

    private static func propertyListOfXML(_ file: SourceFile) throws -> Any {
        let meaning = "not a property list in XML or binary form"
        guard let base = file.bytes.baseAddress, mayBeXML(file.bytes) else { throw failure(file, meaning) }
        let data = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: file.bytes.count, deallocator: .none)
        var format = PropertyListSerialization.PropertyListFormat.xml
        do {
            let root = try PropertyListSerialization.propertyList(from: data, format: &format)
            // Nearly any text passes for a property list of the old style.
            if format == .xml { return root }
        } catch {
            let reason = (error as NSError).userInfo["NSDebugDescription"] as? String
            throw failure(file, meaning + (reason.map { ": \($0)" } ?? ""))
        }
        throw failure(file, meaning)
    }

    /// Whether bytes begin with a tag or the byte order mark of UTF-16.
    private static func mayBeXML(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let spaces = Array(" \t\r\n".utf8)
        return bytes.dropFirst(isMarked ? 3 : 0).first { !spaces.contains($0) } == UInt8(ascii: "<")
    }
}
