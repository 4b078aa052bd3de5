/// Looks for bytes in bytes, in a time that grows with their number and not with the product of both.
package enum ByteSearch {
    /// Up to this length comparing at every place is the fastest way.
    private static let shortLength = 64

    package static func contains(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard part.count <= text.count else { return false }
        guard let start = text.baseAddress, let wanted = part.baseAddress, !part.isEmpty else { return true }
        if part.count > shortLength { return containsLong(text, part) }
        var place = 0
        while place <= text.count - part.count {
            // The C library's search for the first byte looks at many bytes at once.
            guard let found = memchr(start + place, Int32(part[0]), text.count - part.count - place + 1) else {
                return false
            }
            if memcmp(found, wanted, part.count) == 0 { return true }
            place = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
        }
        return false
    }

    /// After a mismatch, the search of Knuth, Morris and Pratt goes on with what of the part fits the end of what it has
    /// read.
    private static func containsLong(
        _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var fitting = Array(repeating: 0, count: part.count)
        var length = 0
        for index in 1..<part.count {
            while length > 0, part[index] != part[length] { length = fitting[length - 1] }
            if part[index] == part[length] { length += 1 }
            fitting[index] = length
        }
        length = 0
        for byte in text {
            while length > 0, byte != part[length] { length = fitting[length - 1] }
            if byte == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
