import FoundationSupplement

/// Builds the table of objects of a keyed archive.
///
/// Strings, numbers and other plain values are in the table once each. Everything is numbered in the order in which it
/// is added, so the same calls give the same bytes.
struct KeyedArchiveBuilder {
    private var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [[String]: Int] = [:]
    private var plain: [Plain: Int] = [:]

    private enum Plain: Hashable {
        case boolean(Bool), integer(Int64), real(UInt64), data([UInt8]), string([UInt8])

        init?(_ value: PropertyListValue) {
            switch value {
            case .boolean(let value): self = .boolean(value)
            case .integer(let value): self = .integer(value)
            case .real(let value): self = .real(value.bitPattern)
            case .data(let value): self = .data(value)
            case .string(let value): self = .string(Array(value.utf8))
            default: return nil
            }
        }
    }

    /// The reference to nothing.
    static let null = PropertyListValue.uid(0)

    /// A number for an object that is filled in later.
    mutating func reserve() -> Int {
        objects.append(.null)
        return objects.count - 1
    }

    mutating func fill(_ uid: Int, _ className: String, _ fields: [String: PropertyListValue]) {
        var fields = fields
        fields["$class"] = classReference(ArchivedClass.chain(of: className))
        objects[uid] = .dictionary(fields)
    }

    /// Adds an object and returns the reference to it.
    mutating func add(_ className: String, _ fields: [String: PropertyListValue]) -> PropertyListValue {
        let uid = reserve()
        fill(uid, className, fields)
        return .uid(uid)
    }

    /// Adds a string, a number or data, unless there is an equal one.
    mutating func plain(_ value: PropertyListValue) -> PropertyListValue {
        guard let key = Plain(value) else { return Self.null }
        if let known = plain[key] { return .uid(known) }
        objects.append(value)
        plain[key] = objects.count - 1
        return .uid(objects.count - 1)
    }

    mutating func string(_ text: String?) -> PropertyListValue {
        text.map { plain(.string($0)) } ?? Self.null
    }

    mutating func array(_ className: String, _ elements: [PropertyListValue]) -> PropertyListValue {
        add(className, ["NS.objects": .array(elements)])
    }

    mutating func dictionary(
        _ className: String, _ pairs: [(key: PropertyListValue, value: PropertyListValue)]
    ) -> PropertyListValue {
        add(className, ["NS.keys": .array(pairs.map(\.key)), "NS.objects": .array(pairs.map(\.value))])
    }

    /// Adds objects as another archive had them.
    mutating func foreign(_ value: ForeignArchivedValue) -> PropertyListValue {
        var numbers = [0]
        for object in value.objects {
            if let chain = Self.classChain(object) {
                numbers.append(classReference(chain).uid ?? 0)
            } else if let uid = plain(object).uid, uid != 0 {
                numbers.append(uid)
            } else {
                numbers.append(reserve())
            }
        }
        for (object, uid) in zip(value.objects, numbers.dropFirst()) where Plain(object) == nil {
            if Self.classChain(object) != nil { continue }
            objects[uid] = Self.renumber(object, numbers)
        }
        return .uid(numbers.count > 1 ? numbers[1] : 0)
    }

    /// The classes that an object lists, if it is the description of a class as this builder writes them.
    private static func classChain(_ object: PropertyListValue) -> [String]? {
        guard let fields = object.dictionary, fields.count == 2, let list = fields["$classes"]?.array else {
            return nil
        }
        let chain = list.compactMap(\.string)
        return chain.count == list.count && !chain.isEmpty && fields["$classname"]?.string == chain[0] ? chain : nil
    }

    private static func renumber(_ value: PropertyListValue, _ numbers: [Int]) -> PropertyListValue {
        switch value {
        case .uid(let uid): .uid(numbers.indices.contains(uid) ? numbers[uid] : 0)
        case .array(let elements): .array(elements.map { renumber($0, numbers) })
        case .dictionary(let fields): .dictionary(fields.mapValues { renumber($0, numbers) })
        default: value
        }
    }

    private mutating func classReference(_ chain: [String]) -> PropertyListValue {
        if let known = classes[chain] { return .uid(known) }
        objects.append(
            .dictionary([
                "$classname": .string(chain.first ?? "NSObject"), "$classes": .array(chain.map { .string($0) }),
            ]))
        classes[chain] = objects.count - 1
        return .uid(objects.count - 1)
    }

    /// The archive's bytes.
    func archive(root: PropertyListValue) -> Data {
        BinaryPropertyList.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
                "$top": .dictionary(["root": root]), "$objects": .array(objects),
            ]))
    }
}
