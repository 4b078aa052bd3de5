/// Reads the objects of a binary property list.
struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let topIndex: Int
    private let tableOffset: Int
    private var known: [State]
    /// How many more bytes of content may be read. Objects of a proper file don't overlap, so their contents together
    /// are no longer than the file; without this limit, a thousand objects on the same megabyte would be a gigabyte.
    private var budget: Int
    private var depth = 0

    private enum State {
        case unread
        case open
        case read(PropertyListValue)
    }

    init(_ bytes: [UInt8]) throws {
        let headerSize = BinaryPropertyList.header.count
        guard bytes.count >= headerSize + 1 + BinaryPropertyList.trailerSize,
            bytes.starts(with: BinaryPropertyList.header)
        else { throw PropertyListError("is not a binary property list") }
        let trailer = bytes.count - BinaryPropertyList.trailerSize
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.size(bytes, trailer + 8, 8),
            let topIndex = Self.size(bytes, trailer + 16, 8),
            let tableOffset = Self.size(bytes, trailer + 24, 8),
            tableOffset >= headerSize, tableOffset < trailer,
            count > topIndex, count <= (trailer - tableOffset) / offsetSize
        else { throw PropertyListError("has a damaged trailer") }
        (self.count, self.topIndex, self.tableOffset) = (count, topIndex, tableOffset)
        known = Array(repeating: .unread, count: count)
        budget = bytes.count
    }

    mutating func top() throws -> PropertyListValue { try object(topIndex) }

    /// The object of that number. Each is read once: what several others refer to is shared, not multiplied.
    private mutating func object(_ index: Int) throws -> PropertyListValue {
        guard known.indices.contains(index) else { throw PropertyListError("refers to object \(index) of \(count)") }
        switch known[index] {
        case .read(let value): return value
        case .open: throw PropertyListError("has a container that contains itself (object \(index))")
        case .unread: break
        }
        guard depth < BinaryPropertyList.maximumDepth else { throw PropertyListError("is nested too deeply") }
        guard let offset = Self.size(bytes, tableOffset + index * offsetSize, offsetSize), offset < tableOffset else {
            throw PropertyListError("has object \(index) outside of the file")
        }
        known[index] = .open
        depth += 1
        defer { depth -= 1 }
        let value = try decode(at: offset)
        known[index] = .read(value)
        return value
    }

    private mutating func decode(at offset: Int) throws -> PropertyListValue {
        let marker = try byte(offset)
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0x0: return try simple(low)
        case 0x1: return .integer(try integer(at: offset + 1, exponent: low))
        case 0x2: return .real(try real(at: offset + 1, exponent: low))
        case 0x3:
            guard low == 3 else { break }
            return .date(try real(at: offset + 1, exponent: 3))
        case 0x4:
            let (size, start) = try sized(offset, low)
            return .data(Array(try content(start, size)))
        case 0x5: return .string(try ascii(offset, low))
        case 0x6: return .string(try utf16(offset, low))
        case 0x8:
            let raw = try content(offset + 1, low + 1)
            guard let number = Self.size(bytes, raw.startIndex, raw.count) else { break }
            return .uid(number)
        case 0xA: return .array(try list(offset, low))
        case 0xD: return .dictionary(try dictionary(offset, low))
        default: break
        }
        throw PropertyListError("has an object of an unknown kind (\(marker)) at offset \(offset)")
    }

    private func simple(_ low: Int) throws -> PropertyListValue {
        switch low {
        case 0: return .null
        case 8: return .boolean(false)
        case 9: return .boolean(true)
        default: throw PropertyListError("has an object of an unknown kind (\(low))")
        }
    }

    private mutating func integer(at offset: Int, exponent: Int) throws -> Int64 {
        guard exponent <= 4 else { throw PropertyListError("has an integer of an unknown size") }
        let raw = try content(offset, 1 << exponent)
        // 16 bytes hold unsigned numbers beyond Int64's; Core Data has none, and others fit into the lower half.
        let value = raw.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let signed = Int64(bitPattern: value)
        let upper: UInt8 = signed < 0 ? 0xff : 0
        guard raw.dropLast(8).allSatisfy({ $0 == upper }) else {
            throw PropertyListError("has an integer that is too large")
        }
        return signed
    }

    private mutating func real(at offset: Int, exponent: Int) throws -> Double {
        guard exponent == 2 || exponent == 3 else { throw PropertyListError("has a number of an unknown size") }
        let raw = try content(offset, 1 << exponent)
        let bits = raw.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard exponent == 2 else { return Double(bitPattern: bits) }
        return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    private mutating func ascii(_ offset: Int, _ low: Int) throws -> String {
        let (size, start) = try sized(offset, low)
        return String(decoding: try content(start, size), as: UTF8.self)
    }

    private mutating func utf16(_ offset: Int, _ low: Int) throws -> String {
        let (size, start) = try sized(offset, low)
        let raw = try content(start, Self.product(size, 2))
        let units = stride(from: raw.startIndex, to: raw.endIndex, by: 2).map { i in
            UInt16(raw[i]) << 8 | UInt16(raw[i + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    private mutating func list(_ offset: Int, _ low: Int) throws -> [PropertyListValue] {
        let (size, start) = try sized(offset, low)
        return try references(start, size).map { try object($0) }
    }

    private mutating func dictionary(_ offset: Int, _ low: Int) throws -> [String: PropertyListValue] {
        let (size, start) = try sized(offset, low)
        let all = try references(start, Self.product(size, 2))
        var result: [String: PropertyListValue] = [:]
        result.reserveCapacity(size)
        for (key, value) in zip(all.prefix(size), all.dropFirst(size)) {
            guard case .string(let name) = try object(key) else {
                throw PropertyListError("has a dictionary with a key that is not a string")
            }
            result[name] = try object(value)
        }
        return result
    }

    private mutating func references(_ start: Int, _ number: Int) throws -> [Int] {
        let raw = try content(start, Self.product(number, referenceSize))
        return try stride(from: raw.startIndex, to: raw.endIndex, by: referenceSize).map { position in
            guard let index = Self.size(bytes, position, referenceSize) else {
                throw PropertyListError("has a damaged reference")
            }
            return index
        }
    }

    /// The size of an object and where its content starts.
    private mutating func sized(_ offset: Int, _ low: Int) throws -> (size: Int, start: Int) {
        guard low == 15 else { return (low, offset + 1) }
        let marker = try byte(offset + 1)
        guard marker >> 4 == 1, marker & 0x0f <= 3 else { throw PropertyListError("has an object without a size") }
        let width = 1 << Int(marker & 0x0f)
        let size = try integer(at: offset + 2, exponent: Int(marker & 0x0f))
        guard size >= 0, size <= bytes.count else {
            throw PropertyListError("has an object that is longer than the file")
        }
        return (Int(size), offset + 2 + width)
    }

    private mutating func byte(_ offset: Int) throws -> UInt8 {
        guard let byte = try content(offset, 1).first else { throw PropertyListError("ends too early") }
        return byte
    }

    /// Bytes of objects: they lie before the offset table, and each byte is read once only.
    private mutating func content(_ start: Int, _ size: Int) throws -> ArraySlice<UInt8> {
        guard size >= 0, start >= 0, start <= tableOffset, size <= tableOffset - start else {
            throw PropertyListError("has an object that is longer than the file")
        }
        guard size <= budget else { throw PropertyListError("has objects that overlap") }
        budget -= size
        return bytes[start..<start + size]
    }

    private static func product(_ a: Int, _ b: Int) -> Int {
        let (result, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? Int.max : result
    }

    /// An unsigned number of `width` bytes, unless it is beyond what an offset can be.
    private static func size(_ bytes: [UInt8], _ start: Int, _ width: Int) -> Int? {
        guard start >= 0, width > 0, start <= bytes.count - width else { return nil }
        var value: UInt64 = 0
        for byte in bytes[start..<start + width] {
            guard value >> 56 == 0 else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }
}
