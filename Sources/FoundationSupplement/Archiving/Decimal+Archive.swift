extension Decimal {
    /// What a keyed archive has of a decimal number: a mantissa in eight 16-bit words, least significant first, and an
    /// exponent of ten. Zero, and what is no number, is an object of a class of its own on Apple's systems.
    package var archived: (isPlaceholder: Bool, fields: [String: PropertyListValue]) {
        var words = [UInt32](repeating: 0, count: 8)
        let digits = isNaN ? "0" : significand.description
        for digit in digits.compactMap(\.wholeNumberValue) {
            var carry = UInt32(digit)
            for i in words.indices {
                carry += words[i] * 10
                words[i] = carry & 0xffff
                carry >>= 16
            }
        }
        let length = words.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        return (
            length == 0,
            [
                "NS.mantissa": .data(words.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }),
                "NS.mantissa.bo": .integer(1), "NS.exponent": .integer(length == 0 ? 0 : Int64(exponent)),
                "NS.length": .integer(Int64(length)), "NS.compact": .boolean(!digits.hasSuffix("0") || length == 0),
                // NaN is a negative number without a mantissa.
                "NS.negative": .boolean(isNaN || sign == .minus),
            ]
        )
    }
}
