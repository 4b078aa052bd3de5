import CObjectReference
import FoundationSupplement
import ManagedObjectModel

/// Makes dictionaries that have the same keys.
///
/// They are `NSDictionary` objects and no subclass of it: Linux bridges no other class to `[String: Any]`. Foundation
/// makes one in three microseconds or more, most of which is hashing and copying keys that are always the same. So one is
/// made for each set of keys, and its table copied, with other values, into the new ones.
final class DictionaryTemplate {
    private typealias Storage = [NSObject: AnyObject]

    private let keys: [NSString]
    /// By which columns have a value: a table with their keys, and the place of each column in it.
    private var tables: [UInt64: Table] = [:]
    private var last: (mask: UInt64, table: Table)?

    private typealias Table = (storage: Storage, places: [Storage.Index])

    init(_ names: [String]) { keys = names.map { NSString(string: $0) } }

    /// A dictionary of the columns' values, without those that are nil.
    func dictionary(_ values: [AnyObject?]) -> NSDictionary {
        guard let offset = Self.storageOffset, keys.count <= 64 else { return Self.plain(keys, values) }
        var mask: UInt64 = 0
        for index in values.indices where values[index] != nil { mask |= 1 << UInt64(index) }
        let table = last?.mask == mask ? last?.table ?? self.table(mask) : self.table(mask)
        var storage = table.storage
        Self.fill(&storage.values, table.places, values)
        let dictionary = NSDictionary()
        let address = Unmanaged.passUnretained(dictionary).toOpaque().advanced(by: offset)
        address.assumingMemoryBound(to: Storage.self).pointee = storage
        return dictionary
    }

    private static func fill(_ slots: inout Storage.Values, _ places: [Storage.Index], _ values: [AnyObject?]) {
        var at = 0
        for case let value? in values {
            slots[places[at]] = value
            at += 1
        }
    }

    private func table(_ mask: UInt64) -> Table {
        let table = tables[mask] ?? makeTable(mask)
        last = (mask, table)
        return table
    }

    private func makeTable(_ mask: UInt64) -> Table {
        let present = keys.indices.filter { mask & 1 << UInt64($0) != 0 }
        var storage: Storage = [:]
        for index in present { storage[keys[index]] = keys[index] }
        let places = present.compactMap { storage.index(forKey: keys[$0]) }
        if tables.count >= 64 { tables.removeAll() }
        tables[mask] = (storage, places)
        return (storage, places)
    }

    private static func plain(_ keys: [NSString], _ values: [AnyObject?]) -> NSDictionary {
        let present = keys.indices.filter { values[$0] != nil }
        return NSDictionary(objects: present.compactMap { values[$0] }, forKeys: present.map { keys[$0] })
    }

    /// Where an `NSDictionary` keeps its table; nil where that can't be made out, and Foundation has to make all
    /// dictionaries.
    ///
    /// A mutable copy shares the table of what it is a copy of, and nothing else: the one word that both have in common,
    /// and that another dictionary has otherwise, is the table.
    static let storageOffset: Int? = {
        let key = NSString(string: "key")
        let (first, second) = (NSDictionary(object: key, forKey: key), NSDictionary(object: key, forKey: key))
        guard let copy = first.mutableCopy() as? NSMutableDictionary else { return nil }
        return withExtendedLifetime((first, second, copy)) {
            let objects = [first, second, copy].map { Unmanaged.passUnretained($0).toOpaque() }
            let size = objects.map { Int(object_size($0)) }.min() ?? 0
            let header = 2 * MemoryLayout<UInt>.size
            let candidates = stride(from: header, to: size - 7, by: MemoryLayout<UInt>.stride).filter { offset in
                let words = objects.map { $0.load(fromByteOffset: offset, as: UInt.self) }
                return words[0] == words[2] && words[0] != words[1]
            }
            guard candidates.count == 1, let offset = candidates.first else { return nil }
            return isTable(at: objects[0].advanced(by: offset)) ? offset : nil
        }
    }()

    /// Whether a word refers to an object of the class that tables are of.
    private static func isTable(at address: UnsafeMutableRawPointer) -> Bool {
        let sample: Storage = [NSString(string: "key"): NSNull()]
        guard MemoryLayout<Storage>.size == MemoryLayout<UInt>.size,
            let table = UnsafeRawPointer(bitPattern: address.load(as: UInt.self))
        else { return false }
        return withExtendedLifetime(sample) {
            let known = UnsafeRawPointer(bitPattern: unsafeBitCast(sample, to: UInt.self))
            return known?.load(as: UInt.self) == table.load(as: UInt.self)
        }
    }
}

extension SlotValue {
    /// The value as Foundation's collections keep it.
    func bridged(_ type: NSAttributeType?) -> AnyObject? {
        switch self {
        case .null: nil
        // Each said by itself: to make an object of what is in an `Any` costs more than all the rest.
        case .integer(let number):
            type == .booleanAttributeType ? SmallNumbers.boolean(number != 0) : SmallNumbers.number(number)
        case .real(let number):
            type == .floatAttributeType ? NSNumber(value: Float(number)) : NSNumber(value: number)
        case .string(let text): NSString(string: text)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): NSData(data: data)
        case .uuid(let uuid): uuid as NSUUID
        case .uri(let url): url as NSURL
        default: foundationValue(type ?? attributeType ?? .undefinedAttributeType).map { $0 as AnyObject }
        }
    }
}
