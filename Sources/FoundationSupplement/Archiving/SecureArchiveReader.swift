/// Reads the property values in a keyed archive.
///
/// The bytes may come from anyone: they give a value or an error, in time and memory proportional to their number.
struct SecureArchiveReader {
    /// How many collections may lie in each other.
    static let maximumDepth = 64

    let archive: KeyedArchive
    private let classes: Set<String>
    private let mayHaveOthers: Bool
    private var states: [State]
    private var depth = 0
    /// The classes that were met, by name.
    private var met: Set<String> = []
    /// Whether there are objects of classes other than property values. The result has null in their places.
    private(set) var hasOthers = false
    /// Whether there is a text that Foundation takes for nothing, wherever it stands.
    private var hasNullText = false
    /// How many more predicates and expressions may be read.
    private var budget: Int

    private enum State {
        case unread, open
        case read(NSObject?, size: Int)
    }

    /// - Parameters:
    ///   - classes: The names of the classes that are allowed.
    ///   - mayHaveOthers: Whether objects of other classes than property values are passed over or refused.
    init(_ data: Data, classes: Set<String>, mayHaveOthers: Bool) throws {
        let list: PropertyListValue
        do {
            list = try BinaryPropertyList.read(data)
        } catch let error as PropertyListError {
            throw SecureArchive.damaged(error.description)
        }
        // What isn't read here has to be right too: Foundation takes it on trust.
        guard let fields = list.dictionary, fields["$archiver"]?.string == "NSKeyedArchiver",
            case .integer? = fields["$version"], fields["$objects"]?.array?.first?.string != nil
        else { throw SecureArchive.damaged("is not a keyed archive with one root object") }
        archive = try KeyedArchive(list) { SecureArchive.damaged($0) }
        self.classes = classes
        self.mayHaveOthers = mayHaveOthers
        states = Array(repeating: .unread, count: archive.objects.count)
        budget = 10_000 + archive.objects.count * 64
    }

    private var objects: [PropertyListValue] { archive.objects }

    /// The archive written anew, for Foundation: damaged bytes may mean one thing here and another to its parser.
    var rewritten: Data {
        var writer = BinaryPropertyListWriter()
        return Data(
            writer.write(
                .dictionary([
                    "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
                    "$top": .dictionary(["root": archive.rootReference]), "$objects": .array(objects),
                ])))
    }

    /// The object that was archived.
    mutating func root() throws -> NSObject? {
        let (object, size) = try object(archive.rootReference)
        // Objects that are shared again and again would take for ever to compare, print or copy.
        guard size <= 1_000_000 + 16 * objects.count else { throw SecureArchive.damaged("unfolds without limit") }
        if hasOthers, hasNullText { throw SecureArchive.damaged("has a text that stands for nothing") }
        if !hasOthers, let refused = met.sorted().first(where: { !isAllowed($0) }) { throw unexpected(refused) }
        return object
    }

    private func isAllowed(_ name: String) -> Bool {
        let chain = PropertyClass(rawValue: name)?.chain ?? PredicateArchiveClass.chain(of: name)
        return chain.contains(where: classes.contains)
    }

    /// Whether a name is that of an allowed class, or of one that an object of such a class may hold.
    private func isSecure(_ name: String) -> Bool {
        classes.contains(name) || NSClassFromString(name) is any NSSecureCoding.Type
    }

    private func unexpected(_ name: String) -> CocoaError {
        SecureArchive.error(
            .coderReadCorrupt,
            "value for key 'root' was of unexpected class '\(name)'.\nAllowed classes are:\n {(\n"
                + classes.sorted().map { "    \($0)" }.joined(separator: ",\n") + "\n)}")
    }

    // MARK: Objects

    /// The object that a reference leads to, and how many objects it is made of, each as often as it occurs.
    private mutating func object(_ reference: PropertyListValue?) throws -> (NSObject?, size: Int) {
        guard case .uid(let uid)? = reference else {
            throw SecureArchive.damaged("has a value in place of a reference")
        }
        if uid == 0 { return (nil, 1) }
        guard states.indices.contains(uid) else {
            throw SecureArchive.damaged("refers to object \(uid), but has only \(objects.count)")
        }
        switch states[uid] {
        case .read(let object, let size): return (object, size)
        case .open: throw SecureArchive.damaged("has an object that contains itself")
        case .unread: break
        }
        guard depth < Self.maximumDepth else { throw SecureArchive.damaged("is nested too deeply") }
        states[uid] = .open
        depth += 1
        defer { depth -= 1 }
        let result = try read(objects[uid])
        states[uid] = .read(result.0, size: result.size)
        return result
    }

    private mutating func read(_ value: PropertyListValue) throws -> (NSObject?, size: Int) {
        switch value {
        case .string(let text):
            hasNullText = hasNullText || text == "$null"
            return (plain(.string, NSString(string: text)), 1)
        case .boolean(let flag): return (plain(.number, NSNumber(value: flag)), 1)
        case .integer(let number): return (plain(.number, NSNumber(value: number)), 1)
        case .real(let number): return (plain(.number, NSNumber(value: number)), 1)
        case .date(let seconds): return (plain(.date, NSDate(timeIntervalSinceReferenceDate: seconds)), 1)
        case .data(let bytes): return (plain(.data, NSData(data: Data(bytes))), 1)
        case .dictionary(let fields): return try read(fields)
        case .null, .uid, .array: throw SecureArchive.damaged("has a plain value where an object should be")
        }
    }

    private mutating func plain(_ propertyClass: PropertyClass, _ object: NSObject) -> NSObject {
        met.insert(propertyClass.rawValue)
        return object
    }

    private mutating func read(_ fields: [String: PropertyListValue]) throws -> (NSObject?, size: Int) {
        guard case .uid(let uid)? = fields["$class"], objects.indices.contains(uid),
            let description = objects[uid].dictionary, let name = description["$classname"]?.string,
            description["$classes"]?.array?.allSatisfy({ $0.string != nil }) == true
        else { throw SecureArchive.damaged("has an object without a class") }
        guard let propertyClass = PropertyClass(rawValue: name) else {
            if let kind = PredicateArchiveClass.kind(of: name) {
                return try read(kind, ArchivedObject(uid: -1, className: name, fields: fields))
            }
            guard mayHaveOthers, isSecure(name) else { throw unexpected(name) }
            return try passOver(fields)
        }
        met.insert(name)
        switch propertyClass {
        case .array, .mutableArray, .set, .mutableSet, .orderedSet, .mutableOrderedSet:
            return try collection(propertyClass, fields)
        case .dictionary, .mutableDictionary: return try dictionary(propertyClass, fields)
        case .url: return try url(fields)
        default: break
        }
        guard let object = try scalar(propertyClass, fields) else {
            throw SecureArchive.damaged("has a damaged object of class '\(name)'")
        }
        return (object, 1)
    }

    /// A predicate, an expression or a sort descriptor. Whatever class its constants are of, it has been asked for: what
    /// counts is that it can't be evaluated before the program allows it.
    private mutating func read(
        _ kind: PredicateArchiveClass.Kind, _ object: ArchivedObject
    ) throws -> (NSObject?, size: Int) {
        let (known, before) = (met, budget)
        let what = "a value"
        let result: NSObject
        switch kind {
        case .predicate: result = try predicate(of: object, what)
        case .expression: result = try expression(of: object, what)
        case .sortDescriptor: result = try sortDescriptor(of: object, what)
        }
        PredicateTree.setLock(true, of: result)
        met = known.union([object.className])
        return (result, before - budget + 1)
    }

    /// Looks at what an object of a program's class refers to.
    private mutating func passOver(_ fields: [String: PropertyListValue]) throws -> (NSObject?, size: Int) {
        hasOthers = true
        var size = 1
        for (key, value) in fields where key != "$class" {
            for reference in Self.references(value) { try add(try object(reference).size, to: &size) }
        }
        return (NSNull(), size)
    }

    private static func references(_ value: PropertyListValue) -> [PropertyListValue] {
        switch value {
        case .uid: [value]
        case .array(let values): values.flatMap(references)
        case .dictionary(let values): values.values.flatMap(references)
        default: []
        }
    }

    private func add(_ size: Int, to sum: inout Int) throws {
        let (result, overflow) = sum.addingReportingOverflow(size)
        guard !overflow else { throw SecureArchive.damaged("unfolds without limit") }
        sum = result
    }

    // MARK: Collections

    private mutating func elements(_ references: [PropertyListValue]) throws -> ([NSObject], size: Int) {
        var size = 1
        let elements = try references.map { reference -> NSObject in
            let (element, elementSize) = try object(reference)
            try add(elementSize, to: &size)
            guard let element else { throw SecureArchive.damaged("has a collection with nothing as an element") }
            return element
        }
        return (elements, size)
    }

    private mutating func collection(
        _ propertyClass: PropertyClass, _ fields: [String: PropertyListValue]
    ) throws -> (NSObject?, size: Int) {
        let (elements, size) = try elements(Self.elementReferences(propertyClass, fields))
        if propertyClass.chain.contains(PropertyClass.array.rawValue) {
            return (propertyClass == .array ? NSArray(array: elements) : NSMutableArray(array: elements), size)
        }
        try Self.checkHashable(elements)
        let object: NSObject =
            switch propertyClass {
            case .set: NSSet(array: elements)
            case .mutableSet: NSMutableSet(array: elements)
            case .orderedSet: NSOrderedSet(array: elements)
            default: NSMutableOrderedSet(array: elements)
            }
        return (object, size)
    }

    /// The elements of a collection: in one field, or, where Foundation wrote an ordered set on Linux, each in its own.
    private static func elementReferences(
        _ propertyClass: PropertyClass, _ fields: [String: PropertyListValue]
    ) throws -> [PropertyListValue] {
        if let elements = fields["NS.objects"]?.array { return elements }
        var elements: [PropertyListValue] = []
        while let element = fields["NS.object.\(elements.count)"] { elements.append(element) }
        // All fields but the class.
        let isOrderedSet = propertyClass == .orderedSet || propertyClass == .mutableOrderedSet
        guard isOrderedSet, elements.count == fields.count - 1 else {
            throw SecureArchive.damaged("has a damaged collection")
        }
        return elements
    }

    private mutating func dictionary(
        _ propertyClass: PropertyClass, _ fields: [String: PropertyListValue]
    ) throws -> (NSObject?, size: Int) {
        guard let keyReferences = fields["NS.keys"]?.array, let valueReferences = fields["NS.objects"]?.array,
            keyReferences.count == valueReferences.count
        else { throw SecureArchive.damaged("has a damaged dictionary") }
        let (keys, keySize) = try elements(keyReferences)
        let (values, valueSize) = try elements(valueReferences)
        try Self.checkHashable(keys)
        var size = keySize
        try add(valueSize, to: &size)
        let dictionary = NSMutableDictionary()
        for (key, value) in zip(keys, values) { dictionary[key] = value }
        return (propertyClass == .dictionary ? dictionary.copy() as? NSDictionary : dictionary, size)
    }

    private static func checkHashable(_ elements: [NSObject]) throws {
        guard elements.allSatisfy(SecureArchive.isHashable) else {
            throw SecureArchive.damaged("has a collection or a decimal number as an element of a set or as a key")
        }
    }

    // MARK: Scalars

    private mutating func url(_ fields: [String: PropertyListValue]) throws -> (NSObject?, size: Int) {
        let (base, size) = try fields["NS.base"].map { try object($0) } ?? (nil, 0)
        guard let text = try object(fields["NS.relative"]).0 as? NSString, base == nil || base is NSURL,
            let url = URL(string: String(text), relativeTo: (base as? NSURL).map { $0 as URL })
        else { throw SecureArchive.damaged("has a damaged object of class 'NSURL'") }
        return (url as NSURL, size + 1)
    }

    private mutating func scalar(
        _ propertyClass: PropertyClass, _ fields: [String: PropertyListValue]
    ) throws -> NSObject? {
        switch propertyClass {
        case .string: return try text(fields["NS.string"]).map { NSString(string: $0) }
        case .mutableString: return try text(fields["NS.string"]).map { NSMutableString(string: $0) }
        case .data: return try bytes(fields["NS.data"]).map { NSData(data: Data($0)) }
        case .mutableData: return try bytes(fields["NS.data"]).map { NSMutableData(data: Data($0)) }
        case .date: return try number(fields["NS.time"]).map { NSDate(timeIntervalSinceReferenceDate: $0) }
        case .number:
            let field = ["NS.intval", "NS.dblval", "NS.boolval"].lazy.compactMap { fields[$0] }.first
            return try plainValue(field).flatMap { try read($0).0 as? NSNumber }
        case .decimalNumber, .decimalNumberPlaceholder:
            return try decimal(fields).map { NSDecimalNumber(decimal: $0) }
        case .uuid:
            guard let bytes = try bytes(fields["NS.uuidbytes"]), bytes.count == 16 else { return nil }
            return NSUUID(uuidBytes: bytes)
        case .null: return NSNull()
        default: return nil
        }
    }

    /// A field's value, which is in the field or in the table of objects.
    private func plainValue(_ field: PropertyListValue?) throws -> PropertyListValue? {
        guard case .uid(let uid)? = field else { return field }
        guard objects.indices.contains(uid) else { throw SecureArchive.damaged("refers to object \(uid)") }
        return objects[uid]
    }

    private func text(_ field: PropertyListValue?) throws -> String? { try plainValue(field)?.string }

    private func bytes(_ field: PropertyListValue?) throws -> [UInt8]? {
        guard case .data(let bytes)? = try plainValue(field) else { return nil }
        return bytes
    }

    private func number(_ field: PropertyListValue?) throws -> Double? {
        switch try plainValue(field) {
        case .real(let number)?: number
        case .integer(let number)?: Double(number)
        default: nil
        }
    }

    /// A decimal number: a mantissa of up to eight 16-bit words, least significant first, and an exponent of ten.
    private func decimal(_ fields: [String: PropertyListValue]) throws -> Decimal? {
        guard let bytes = try bytes(fields["NS.mantissa"]), bytes.count <= 16,
            let length = try plainValue(fields["NS.length"])?.integer, (0...8).contains(length),
            let exponent = try plainValue(fields["NS.exponent"])?.integer, (-128...127).contains(exponent)
        else { return nil }
        let isNegative = try plainValue(fields["NS.negative"])?.boolean ?? false
        // NaN is a negative number without a mantissa.
        if length == 0 { return isNegative ? .nan : 0 }
        // Apple writes the words in the machine's order and notes it: 1 is little-endian, as every Mac is today.
        let isBigEndian = try plainValue(fields["NS.mantissa.bo"])?.integer == 2
        var value = Decimal(0)
        for word in (0..<min(bytes.count / 2, length)).reversed() {
            let (first, second) = (Int(bytes[word * 2]), Int(bytes[word * 2 + 1]))
            value = value * 65536 + Decimal(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: value)
    }
}

extension SecureArchiveReader: PredicateArchiveReading {
    mutating func spend(_ what: String) throws {
        budget -= 1
        guard budget >= 0 else { throw SecureArchive.damaged("unfolds without limit") }
    }

    /// A constant, as the Swift type that programs expect.
    mutating func value(_ reference: PropertyListValue?, _ what: String, depth: Int) throws -> Any? {
        let (object, size) = try object(reference ?? .uid(0))
        budget -= min(size, budget)
        try spend(what)
        guard let object, !(object is NSNull), !(object is NSNumber) else { return object }
        return PredicateValue(object).any
    }
}
