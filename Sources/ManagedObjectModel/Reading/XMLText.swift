import FoundationSupplement

/// A look at the bytes of an XML file before Foundation's parser gets them.
enum XMLText {
    /// What is wrong with the bytes, so that the parser must not see them; nil if nothing is.
    ///
    /// The parser stops the program at a name that isn't UTF-8. And it takes other encodings on its own account (UTF-16
    /// by its zero bytes, others by their declaration), in which a declaration of entities would not be seen.
    static func encodingFault(_ data: Data) -> String? {
        guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else { return "is not UTF-8 text" }
        guard let declaration = data.prefix(256).range(of: Data("encoding=".utf8)) else { return nil }
        let name = data[declaration.upperBound...].dropFirst().prefix {
            $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
        }
        let encoding = String(decoding: name, as: UTF8.self)
        return encoding.uppercased() == "UTF-8" ? nil : "is said to be in the encoding '\(encoding)', not UTF-8"
    }
}
