/// Checks that bytes are UTF-8.
enum UTF8Validation {
    /// The offset of the first byte that doesn't belong to well-formed UTF-8 (RFC 3629), in a range of offsets from
    /// `base`; `nil` if all is well.
    static func firstFault(in base: UnsafeRawPointer, from start: Int, to end: Int) -> Int? {
        var offset = start
        while offset < end {
            if offset &+ 8 <= end {
                let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    offset &+= 8
                    continue
                }
            }
            let length = sequenceLength(base, offset, end)
            if length == 0 { return offset }
            offset &+= length
        }
        return nil
    }

    /// The length of the well-formed sequence at `offset`, or 0.
    @inline(__always)
    private static func sequenceLength(_ base: UnsafeRawPointer, _ offset: Int, _ end: Int) -> Int {
        let lead = base.load(fromByteOffset: offset, as: UInt8.self)
        if lead < 0x80 { return 1 }
        func continuation(_ distance: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xBF) -> Bool {
            guard offset &+ distance < end else { return false }
            let byte = base.load(fromByteOffset: offset &+ distance, as: UInt8.self)
            return byte >= low && byte <= high
        }
        switch lead {
        case 0xC2...0xDF:
            return continuation(1) ? 2 : 0
        case 0xE0...0xEF:
            let low: UInt8 = lead == 0xE0 ? 0xA0 : 0x80
            let high: UInt8 = lead == 0xED ? 0x9F : 0xBF
            return continuation(1, low, high) && continuation(2) ? 3 : 0
        case 0xF0...0xF4:
            let low: UInt8 = lead == 0xF0 ? 0x90 : 0x80
            let high: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
            return continuation(1, low, high) && continuation(2) && continuation(3) ? 4 : 0
        default:
            return 0
        }
    }
}
