import Foundation

extension BinaryPropertyList {
    /// The value of an object that isn't an array or a dictionary.
    func scalar(_ marker: Marker) throws(Fault) -> OwnedValue {
        switch (marker.kind, marker.count) {
        case (0, 0): return .null
        case (0, 8): return .boolean(false)
        case (0, 9): return .boolean(true)
        case (1, 0...4): return try whole(marker)
        case (2, 2):
            let bits = bits(try content(at: marker.content, count: 4))
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case (2, 3): return .real(Double(bitPattern: bits(try content(at: marker.content, count: 8))))
        case (3, 3):
            let seconds = Double(bitPattern: bits(try content(at: marker.content, count: 8)))
            guard seconds.isFinite else { throw Fault(message: "a date that isn't one") }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (4, _): return .data(Data(try content(at: marker.content, count: marker.count)))
        case (5, _), (7, _): return .text(try utf8(marker))
        case (6, _): return .text(try utf16(marker))
        case (8, _): throw Fault(message: "a reference of a keyed archive, which no record can hold")
        default: throw Fault(message: "an object of an unknown kind")
        }
    }

    /// One, two and four bytes are without sign, eight and sixteen with.
    private func whole(_ marker: Marker) throws(Fault) -> OwnedValue {
        let size = 1 << marker.count
        let bytes = try content(at: marker.content, count: size)
        guard size == 16 else {
            return .integer(Int64(bitPattern: bits(bytes)))
        }
        let high = bits(UnsafeRawBufferPointer(rebasing: bytes[..<8]))
        let low = bits(UnsafeRawBufferPointer(rebasing: bytes[8...]))
        let fits = high == 0 && low <= Int64.max || high == .max && low > Int64.max
        if fits { return .integer(Int64(bitPattern: low)) }
        guard high == 0 else { throw Fault(message: "a whole number beyond 64 bits") }
        return .number(String(low))
    }

    private func bits(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    private func utf8(_ marker: Marker) throws(Fault) -> String {
        let bytes = try content(at: marker.content, count: marker.count)
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw Fault(message: "a string that isn't Unicode")
        }
        return string
    }

    private func utf16(_ marker: Marker) throws(Fault) -> String {
        let bytes = try content(at: marker.content, count: marker.count, unit: 2)
        let units = (0..<marker.count).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        guard let string = String(validating: units, as: UTF16.self) else {
            throw Fault(message: "a string that isn't Unicode")
        }
        return string
    }
}
