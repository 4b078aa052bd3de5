/// Writes the objects of a binary property list. Equal strings, numbers, data and references are written once, as by
/// Apple's writer; containers are not compared.
struct BinaryPropertyListWriter {
    private var objects: [Object] = []
    private var known: [Scalar: Int] = [:]

    private enum Scalar: Hashable {
        case null, boolean(Bool), integer(Int64), real(UInt64), date(UInt64), data([UInt8]), uid(Int)
        /// UTF-8: Swift's strings are equal when they look the same, which is not enough here.
        case string([UInt8])
    }

    private enum Object {
        case scalar(Scalar)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    mutating func write(_ value: PropertyListValue) -> [UInt8] {
        let top = add(value)
        let referenceSize = Self.width(UInt64(max(objects.count - 1, 0)))
        var bytes = BinaryPropertyList.header
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            encode(object, referenceSize, into: &bytes)
        }
        let tableOffset = bytes.count
        let offsetSize = Self.width(UInt64(tableOffset))
        for offset in offsets { Self.append(UInt64(offset), offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, top, tableOffset] { Self.append(UInt64(number), 8, to: &bytes) }
        return bytes
    }

    /// Numbers a value and all that it holds: containers before their contents, keys before values.
    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .null: return unique(.null)
        case .boolean(let value): return unique(.boolean(value))
        case .integer(let value): return unique(.integer(value))
        case .real(let value): return unique(.real(value.bitPattern))
        case .date(let value): return unique(.date(value.bitPattern))
        case .data(let value): return unique(.data(value))
        case .string(let value): return unique(.string(Array(value.utf8)))
        case .uid(let value): return unique(.uid(value))
        case .array(let elements):
            let index = reserve()
            objects[index] = .array(elements.map { add($0) })
            return index
        case .dictionary(let pairs):
            let index = reserve()
            let sorted = pairs.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            let keys = sorted.map { unique(.string(Array($0.key.utf8))) }
            objects[index] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
            return index
        }
    }

    private mutating func reserve() -> Int {
        objects.append(.scalar(.null))
        return objects.count - 1
    }

    private mutating func unique(_ scalar: Scalar) -> Int {
        if let index = known[scalar] { return index }
        objects.append(.scalar(scalar))
        known[scalar] = objects.count - 1
        return objects.count - 1
    }

    private func encode(_ object: Object, _ referenceSize: Int, into bytes: inout [UInt8]) {
        switch object {
        case .scalar(let scalar): encode(scalar, into: &bytes)
        case .array(let elements):
            Self.appendMarker(0xA0, elements.count, to: &bytes)
            for index in elements { Self.append(UInt64(index), referenceSize, to: &bytes) }
        case .dictionary(let keys, let values):
            Self.appendMarker(0xD0, keys.count, to: &bytes)
            for index in keys + values { Self.append(UInt64(index), referenceSize, to: &bytes) }
        }
    }

    private func encode(_ scalar: Scalar, into bytes: inout [UInt8]) {
        switch scalar {
        case .null: bytes.append(0x00)
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): Self.appendInteger(value, to: &bytes)
        case .real(let bits):
            bytes.append(0x23)
            Self.append(bits, 8, to: &bytes)
        case .date(let bits):
            bytes.append(0x33)
            Self.append(bits, 8, to: &bytes)
        case .data(let content):
            Self.appendMarker(0x40, content.count, to: &bytes)
            bytes += content
        case .string(let text): Self.appendString(text, to: &bytes)
        case .uid(let value):
            let number = UInt64(max(value, 0))
            let width = Self.width(number)
            bytes.append(0x80 | UInt8(width - 1))
            Self.append(number, width, to: &bytes)
        }
    }

    private static func appendString(_ text: [UInt8], to bytes: inout [UInt8]) {
        if text.allSatisfy({ $0 < 0x80 }) {
            appendMarker(0x50, text.count, to: &bytes)
            bytes += text
        } else {
            let units = String(decoding: text, as: UTF8.self).utf16
            appendMarker(0x60, units.count, to: &bytes)
            for unit in units { append(UInt64(unit), 2, to: &bytes) }
        }
    }

    private static func appendMarker(_ kind: UInt8, _ size: Int, to bytes: inout [UInt8]) {
        if size < 15 {
            bytes.append(kind | UInt8(size))
        } else {
            bytes.append(kind | 0x0f)
            appendInteger(Int64(size), to: &bytes)
        }
    }

    /// Integers of less than 8 bytes are unsigned in this format, so a negative one takes 8.
    private static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
        let width = value < 0 ? 8 : width(UInt64(value))
        bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
        append(UInt64(bitPattern: value), width, to: &bytes)
    }

    /// The fewest bytes, 1, 2, 4 or 8, that hold a number.
    private static func width(_ value: UInt64) -> Int {
        if value <= 0xff { return 1 }
        if value <= 0xffff { return 2 }
        return value <= 0xffff_ffff ? 4 : 8
    }

    private static func append(_ value: UInt64, _ width: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
