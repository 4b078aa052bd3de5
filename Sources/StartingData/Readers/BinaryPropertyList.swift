import Foundation

/// A property list in binary form (`bplist00`), whose objects are decoded one at a time as they are asked for.
///
/// Foundation's reader on Linux crashes on some damaged files and takes all records at once; this one refuses the former
/// and doesn't do the latter.
struct BinaryPropertyList {
    /// What is wrong in a binary property list.
    struct Fault: Error {
        /// What is wrong, in words.
        var message: String
    }

    /// How deep arrays and dictionaries may be nested.
    static let depthLimit = 512
    /// How many values a record may hold: objects can be shared, so that a small file can stand for endless values.
    static let valueLimit = 100_000

    private static let trailerLength = 32
    /// The file, whose bytes are read.
    let file: SourceFile
    /// The number of the object that holds all others.
    let root: Int
    private let objectCount: Int
    private let offsetTable: Int
    private let offsetSize: Int
    private let referenceSize: Int

    /// Whether a file calls itself a property list in binary form.
    static func isBinary(_ file: SourceFile) -> Bool {
        file.bytes.starts(with: Array("bplist".utf8))
    }

    /// Reads what describes the objects.
    init(_ file: SourceFile) throws(Fault) {
        self.file = file
        let bytes = file.bytes
        let trailer = bytes.count - Self.trailerLength
        guard trailer >= 9, bytes.starts(with: Array("bplist00".utf8)) else {
            throw Fault(message: "too short, or of an unknown version")
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = Self.number(in: bytes, at: trailer + 8, size: 8) ?? 0
        root = Self.number(in: bytes, at: trailer + 16, size: 8) ?? .max
        offsetTable = Self.number(in: bytes, at: trailer + 24, size: 8) ?? .max
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, objectCount > 0, root < objectCount, offsetTable >= 9,
            offsetTable <= trailer, objectCount <= (trailer - offsetTable) / offsetSize
        else { throw Fault(message: "the trailer is wrong") }
    }

    /// The numbers of the objects in an array; `nil` if the object isn't an array.
    func elements(ofArray object: Int) throws(Fault) -> [Int]? {
        let marker = try marker(of: object)
        guard marker.kind == 0xA else { return nil }
        return try references(at: marker.content, count: marker.count)
    }

    /// The keys of a dictionary and the numbers of its values, in the order of the keys; `nil` if the object isn't a
    /// dictionary.
    func members(ofDictionary object: Int) throws(Fault) -> [(key: String, value: Int)]? {
        let marker = try marker(of: object)
        guard marker.kind == 0xD else { return nil }
        let keys = try references(at: marker.content, count: marker.count)
        let values = try references(at: marker.content + marker.count * referenceSize, count: marker.count)
        var members: [(key: String, value: Int)] = []
        members.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = try scalar(try self.marker(of: key)) else {
                throw Fault(message: "a key isn't a string")
            }
            members.append((name, value))
        }
        members.sort { $0.key < $1.key }
        for (one, next) in zip(members, members.dropFirst()) where one.key == next.key {
            throw Fault(message: "the key \(one.key) occurs twice in one dictionary")
        }
        return members
    }

    /// The value of an object with all that is in it.
    func value(of object: Int) throws(Fault) -> OwnedValue {
        var budget = Self.valueLimit
        return try value(of: object, depth: 1, budget: &budget)
    }
}

extension BinaryPropertyList {
    /// The first bytes of an object: its kind, the number in the same byte or behind it, and where the rest begins.
    struct Marker {
        /// The upper four bits.
        var kind: UInt8
        /// The lower four bits, or the number behind them for objects with a length.
        var count: Int
        /// The offset of what follows.
        var content: Int
    }

    private func value(of object: Int, depth: Int, budget: inout Int) throws(Fault) -> OwnedValue {
        guard depth <= Self.depthLimit else { throw Fault(message: "nested more than \(Self.depthLimit) deep") }
        budget -= 1
        guard budget >= 0 else { throw Fault(message: "more than \(Self.valueLimit) values in one record") }
        if let elements = try elements(ofArray: object) {
            var values: [OwnedValue] = []
            values.reserveCapacity(min(elements.count, budget))
            for element in elements { values.append(try value(of: element, depth: depth + 1, budget: &budget)) }
            return .list(values)
        }
        if let members = try members(ofDictionary: object) {
            var fields: [OwnedField] = []
            for (key, member) in members {
                let value = try value(of: member, depth: depth + 1, budget: &budget)
                fields.append(OwnedField(key: key, value: value))
            }
            return .object(fields)
        }
        return try scalar(try marker(of: object))
    }

    private func marker(of object: Int) throws(Fault) -> Marker {
        guard object < objectCount,
            let offset = Self.number(in: file.bytes, at: offsetTable + object * offsetSize, size: offsetSize),
            offset >= 8, offset < offsetTable
        else { throw Fault(message: "a reference to an object that isn't there") }
        let byte = file.bytes[offset]
        var marker = Marker(kind: byte >> 4, count: Int(byte & 0xF), content: offset + 1)
        guard marker.kind >= 4, marker.kind != 8, marker.count == 0xF else { return marker }
        // A length of 15 and more is a whole number behind the marker.
        guard offset + 1 < offsetTable, file.bytes[offset + 1] >> 4 == 1, file.bytes[offset + 1] & 0xF <= 3 else {
            throw Fault(message: "an object without a length")
        }
        let size = 1 << Int(file.bytes[offset + 1] & 0xF)
        guard let count = Self.number(in: file.bytes, at: offset + 2, size: size) else {
            throw Fault(message: "an object that is too long")
        }
        marker.count = count
        marker.content = offset + 2 + size
        return marker
    }

    private func references(at start: Int, count: Int) throws(Fault) -> [Int] {
        guard start <= offsetTable, count <= (offsetTable - start) / referenceSize else {
            throw Fault(message: "an object that is too long")
        }
        return (0..<count).map {
            Self.number(in: file.bytes, at: start + $0 * referenceSize, size: referenceSize) ?? .max
        }
    }

    /// The bytes of an object's content, which must lie before the table of offsets.
    func content(at start: Int, count: Int, unit: Int = 1) throws(Fault) -> UnsafeRawBufferPointer {
        guard start <= offsetTable, count <= (offsetTable - start) / unit else {
            throw Fault(message: "an object that is too long")
        }
        return UnsafeRawBufferPointer(rebasing: file.bytes[start..<(start + count * unit)])
    }

    /// A big-endian number; `nil` if it lies outside the bytes or is larger than `Int.max`.
    private static func number(in bytes: UnsafeRawBufferPointer, at start: Int, size: Int) -> Int? {
        guard start >= 0, start <= bytes.count - size else { return nil }
        return Int(exactly: bytes[start..<(start + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
