import FoundationSupplement
import ManagedObjectModel

/// `IN`, over any number of values.
extension SQLGenerator {
    mutating func membership(_ predicate: Comparison, _ left: Operand, _ right: Operand) throws -> String {
        if case .fetched(let select, let entity) = right {
            switch left {
            case .object(let key, let destination):
                return destination.table === entity.table ? "\(key) IN (\(select))" : "(\(key) IS NULL AND NULL)"
            case .constant(let value):
                return try objectID(value, entity).map { "\(bind(.integer($0.primaryKey))) IN (\(select))" } ?? "1 = 0"
            default: throw unimplemented(predicate)
            }
        }
        if case .value(let sql, let type) = left, let values = try slots(right) {
            return try member(predicate, sql, type, values)
        }
        if let values = constants(right) { return try membership(predicate, left, among: values) }
        guard let list = elements(right) else {
            return try compare(predicate, .contains, right, left)  // a part of a string
        }
        let parts = try list.map { try compare(predicate, .equalTo, left, $0) }
        return "(\(Self.joined(parts[...], " OR ")))"
    }

    /// The elements of a list that is the same for every row; nil for all else.
    private func constants(_ operand: Operand) -> [Any?]? {
        switch operand {
        case .constant(let value): return collectionElements(of: value)
        case .collection(let elements):
            var values: [Any?] = []
            for element in elements {
                guard case .constant(let value) = element else { return nil }
                values.append(value)
            }
            return values
        default: return nil
        }
    }

    private mutating func membership(
        _ predicate: Comparison, _ left: Operand, among all: [Any?]
    ) throws -> String {
        let values = all.filter { !PredicateValue($0).isNull }
        let hasNil = values.count < all.count
        switch left {
        case .object(let key, let destination):
            let keys = try values.compactMap { try objectID($0, destination)?.primaryKey }
            return member(key, ValueList(keys: keys, of: values.count), hasNil)
        case .entity(let number):
            return member(
                number, ValueList(keys: try values.map { try entityNumber($0) }, of: values.count), hasNil)
        default: throw unimplemented(predicate)
        }
    }

    private func slots(_ operand: Operand) throws -> [SlotValue]? {
        // The usual lists without a cast for each element.
        if case .constant(let value?) = operand {
            if type(of: value) == [Int].self, let numbers = value as? [Int] {
                return numbers.map { .integer(Int64($0)) }
            }
            if type(of: value) == [String].self, let texts = value as? [String] { return texts.map { .string($0) } }
        }
        return try constants(operand)?.map { try SlotValue(constant: $0) }
    }

    private mutating func member(
        _ predicate: Comparison, _ sql: String, _ type: NSAttributeType?, _ values: [SlotValue]
    ) throws -> String {
        let family = type.flatMap(ValueFamily.init)
        if family == .opaque { throw unimplemented(predicate) }
        let given = values.filter { !$0.isNull }
        let (hasNil, count) = (given.count < values.count, given.count)
        let slots = given.filter { slot in family == nil || slot.attributeType.flatMap(ValueFamily.init) == family }
        let flags = flags(predicate, [family])
        guard flags != 0 else { return member(sql, ValueList(slots, of: count), hasNil) }
        let strings = slots.compactMap { slot in if case .string(let text) = slot { text } else { nil } }
        guard !predicate.options.contains(.localeSensitive) else {
            // What a locale finds equal has no common form to look up.
            let parts = try strings.map {
                try compare(predicate, .equalTo, .value(sql: sql, type: type), .constant($0))
            }
            let missing = count > 0 ? never([sql], wantsEqual: true) : "1 = 0"
            let found = parts.isEmpty ? missing : "(\(Self.joined(parts[...], " OR ")))"
            return hasNil ? "(\(found) OR \(sql) IS NULL)" : found
        }
        let comparison = StringComparison(predicate.options)
        let folded = ValueList(strings.map { .string(comparison.folded($0)) }, of: count)
        return member("NSCoreDataFold(\(sql), \(flags))", folded, hasNil)
    }

    /// `sql` among the values. Many go as one text, so that the statement stays the same for any number of them, and is
    /// prepared once.
    private mutating func member(_ sql: String, _ list: ValueList, _ hasNil: Bool) -> String {
        var parts: [String] = []
        if list.values.count <= ValueList.few || writesLiterals {
            if !list.values.isEmpty {
                parts.append("\(sql) IN (\(list.values.map { bind($0) }.joined(separator: ", ")))")
            }
        } else {
            for group in list.groups {
                parts.append(
                    "\(sql) IN (SELECT \(group.decoder) FROM json_each(\(bind(.string(group.json)))))")
            }
        }
        if parts.isEmpty, list.hasStrangers { parts.append(never([sql], wantsEqual: true)) }
        if hasNil { parts.append("\(sql) IS NULL") }
        return parts.isEmpty ? "1 = 0" : parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " OR ")))"
    }
}

/// The constants of an IN, and how they become texts for SQLite's `json_each`.
struct ValueList {
    /// So many are parameters of their own: a statement for each number of them.
    static let few = 8

    let values: [SlotValue]
    /// Whether there were others, which can't be equal.
    let hasStrangers: Bool

    init(_ values: [SlotValue], of count: Int) {
        self.values = values
        hasStrangers = values.count < count
    }

    init(keys: [Int64], of count: Int) { self.init(keys.map { .integer($0) }, of: count) }

    /// The values of one kind as JSON, and the SQL that gets a value back from `value`.
    var groups: [(json: String, decoder: String)] {
        var integers: [Int64] = []
        var reals: [Int64] = []
        var strings: [String] = []
        var others: [String] = []
        for value in values {
            switch value {
            case .integer(let number): integers.append(number)
            // Not as text, whose last digit SQLite may read as another than it was.
            case .real(let number), .date(let number): reals.append(Int64(bitPattern: number.bitPattern))
            case .decimal(let number): reals.append(Int64(bitPattern: number.nearestDouble.bitPattern))
            case .string(let text) where !text.utf8.contains(0): strings.append(text)
            case .uri(let url): strings.append(url.absoluteString)
            // SQLite's JSON ends a string at its first zero.
            case .string(let text): others.append("t" + Self.hexadecimal(text.utf8))
            case .uuid(let uuid): others.append("b" + withUnsafeBytes(of: uuid.uuid) { Self.hexadecimal($0) })
            case .data(let data): others.append("b" + Self.hexadecimal(data))
            case .null, .composite, .external, .transformed, .reference, .object, .toMany, .fetched: break
            }
        }
        return [
            (integers.isEmpty ? "" : "\(integers)", "value"),
            (reals.isEmpty ? "" : "\(reals)", "NSCoreDataReal(value)"),
            (strings.isEmpty ? "" : Self.json(strings), "value"),
            (others.isEmpty ? "" : Self.json(others), "NSCoreDataBytes(value)"),
        ].filter { !$0.0.isEmpty }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func json(_ numbers: [Int64]) -> String {
        var text = "["
        for number in numbers {
            if text.utf8.count > 1 { text += "," }
            text += String(number)
        }
        return text + "]"
    }

    private static func json(_ strings: [String]) -> String {
        var text: [UInt8] = [UInt8(ascii: "[")]
        for string in strings {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "\""))
            for byte in string.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
                case ..<0x20: text += Array("\\u00".utf8) + Array(hexadecimal([byte]).utf8)
                default: text.append(byte)
                }
            }
            text.append(UInt8(ascii: "\""))
        }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }
}
