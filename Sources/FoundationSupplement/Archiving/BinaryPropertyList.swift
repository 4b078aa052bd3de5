/// Binary property lists (`bplist00`) with object references, as keyed archives are made of.
///
/// The format: a header, objects one after the other, a table of their offsets, and a trailer of 32 bytes that says
/// where the table is. All numbers are big-endian. An object starts with a byte whose upper half is its kind and whose
/// lower half its size; 15 says that the size follows as an integer object.
package enum BinaryPropertyList {
    package static let header: [UInt8] = Array("bplist00".utf8)
    static let trailerSize = 32
    /// What archives need is five levels; a limit keeps a hostile file from using up the stack.
    package static let maximumDepth = 64

    package static func isBinaryPropertyList(_ data: Data) -> Bool {
        data.starts(with: header)
    }

    /// Reads a property list. The bytes may come from anyone: whatever they are, they give a value or an error, in time
    /// and memory proportional to their number.
    package static func read(_ data: Data) throws -> PropertyListValue {
        var reader = try BinaryPropertyListReader(Array(data))
        return try reader.top()
    }

    /// Writes a property list. The same value always gives the same bytes: dictionaries are written in order of keys.
    package static func write(_ value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        return Data(writer.write(value))
    }
}
