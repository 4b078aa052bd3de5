import FoundationSupplement

/// A default value of a class that isn't Core Data's or Foundation's, as the archive has it.
///
/// The app's class can't be decoded here, but a model that is read and written must not lose the value: the objects
/// that make it up are kept as they are, renumbered from 1.
package struct ForeignArchivedValue {
    /// What the references among the objects count from 1.
    let objects: [PropertyListValue]
    package let className: String

    /// The value, unless it is of a class that the reader knows.
    init?(_ value: PropertyListValue?, in archive: KeyedArchive) throws {
        guard case .uid(let root)? = value, let fields = try archive.resolve(value)?.dictionary,
            let className = try archive.className(fields),
            !ModelArchiveReader.valueClasses.contains(className)
        else { return nil }
        var collector = Collector(archive: archive)
        try collector.collect(root)
        objects = collector.objects
        self.className = className
    }

    /// Follows the references from object to object, in the order in which they are found.
    private struct Collector {
        let archive: KeyedArchive
        var objects: [PropertyListValue] = []
        private var numbers: [Int: Int] = [0: 0]
        private var queue: [Int] = []

        init(archive: KeyedArchive) { self.archive = archive }

        mutating func collect(_ root: Int) throws {
            _ = number(root)
            while objects.count < queue.count {
                let uid = queue[objects.count]
                guard let object = try archive.resolve(.uid(uid)) else { throw archive.failure("has a damaged object") }
                if let fields = object.dictionary, try archive.className(fields) == "NSManagedObjectModel" {
                    throw archive.failure("has a default value that refers to the whole model")
                }
                objects.append(renumber(object))
            }
        }

        private mutating func number(_ uid: Int) -> Int {
            if let number = numbers[uid] { return number }
            queue.append(uid)
            numbers[uid] = queue.count
            return queue.count
        }

        private mutating func renumber(_ value: PropertyListValue) -> PropertyListValue {
            switch value {
            case .uid(let uid): return .uid(number(uid))
            case .array(let elements): return .array(elements.map { renumber($0) })
            case .dictionary(let fields):
                // In order of keys, so that the same archive always gives the same numbers.
                let sorted = fields.sorted { VersionHash.codeUnitOrder($0.key, $1.key) }
                return .dictionary(
                    Dictionary(uniqueKeysWithValues: sorted.map { ($0.key, renumber($0.value)) }))
            default: return value
            }
        }
    }
}
