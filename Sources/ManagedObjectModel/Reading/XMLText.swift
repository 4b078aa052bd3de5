import FoundationSupplement

/// A look at the bytes of an XML file before Foundation's parser gets them.
enum XMLText {
    /// What is wrong with the bytes, so that the parser must not see them; nil if nothing is.
    ///
    /// The parser stops the program at a name that isn't UTF-8. And it takes other encodings on its own account (UTF-16
    /// by its zero bytes, others by their declaration), in which a declaration of entities would not be seen.
    static func encodingFault(_ data: Data) -> String? {
        let isUTF8 = data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, memchr(base, 0, bytes.count) == nil else { return bytes.isEmpty }
            return String(validating: bytes, as: UTF8.self) != nil
        }
        guard isUTF8 else { return "is not UTF-8 text" }
        guard let declaration = data.prefix(256).range(of: Data("encoding=".utf8)) else { return nil }
        let name = data[declaration.upperBound...].dropFirst()
            .prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
        let encoding = String(decoding: name, as: UTF8.self)
        return encoding.uppercased() == "UTF-8" ? nil : "is said to be in the encoding '\(encoding)', not UTF-8"
    }

    /// The line of the first declaration of one of these names, as in `<!ENTITY`; nil for none.
    static func lineOfDeclaration(_ names: [String], in data: Data) -> Int? {
        data.withUnsafeBytes { bytes -> Int? in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress,
                let mark = memchr(base + start, CInt(UInt8(ascii: "!")), bytes.count - start)
            {
                let at = base.distance(to: UnsafeRawPointer(mark))
                start = at + 1
                guard at > 0, bytes[at - 1] == UInt8(ascii: "<") else { continue }
                if names.contains(where: { bytes[start...].starts(with: $0.utf8) }) {
                    return bytes[..<at].count { $0 == UInt8(ascii: "\n") } + 1
                }
            }
            return nil
        }
    }
}
