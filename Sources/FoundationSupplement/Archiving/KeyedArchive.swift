/// The table of objects of a keyed archive. Objects are looked at one by one, when the reader needs them: models are
/// full of cycles, so there is no way to decode "the root and all that it refers to".
package struct KeyedArchive {
    package let objects: [PropertyListValue]
    private let top: PropertyListValue
    private let makeError: @Sendable (String) -> any Error

    /// The archive that a property list is.
    ///
    /// - Parameter error: Makes the error for what is wrong with it, a clause such as "lacks an entity".
    package init(_ list: PropertyListValue, error: @escaping @Sendable (String) -> any Error) throws {
        guard let fields = list.dictionary, let objects = fields["$objects"]?.array,
            let top = fields["$top"]?.dictionary?["root"]
        else { throw error("is not a keyed archive with one root object") }
        self.objects = objects
        self.top = top
        makeError = error
    }

    package func failure(_ reason: String) -> any Error { makeError(reason) }

    /// The reference to the root object.
    package var rootReference: PropertyListValue { top }

    package func root() throws -> ArchivedObject {
        guard let root = try object(top) else { throw failure("is an archive without a root object") }
        return root
    }

    /// What a value refers to, or the value itself; nil for no value and for the archive's `$null`.
    package func resolve(_ value: PropertyListValue?) throws -> PropertyListValue? {
        guard case .uid(let uid)? = value else { return value }
        guard uid != 0 else { return nil }
        guard objects.indices.contains(uid) else {
            throw failure("refers to object \(uid), but has only \(objects.count)")
        }
        return objects[uid]
    }

    /// The object with a class that a value refers to; nil for none, an error for anything else.
    package func object(_ value: PropertyListValue?) throws -> ArchivedObject? {
        guard let resolved = try resolve(value) else { return nil }
        guard let fields = resolved.dictionary, let className = try className(fields) else {
            throw failure("has a plain value where an object should be")
        }
        return ArchivedObject(uid: value?.uid ?? -1, className: className, fields: fields)
    }

    /// The object, which must be of one of these classes.
    package func object(_ value: PropertyListValue?, _ classes: Set<String>, _ what: String) throws -> ArchivedObject? {
        guard let object = try object(value) else { return nil }
        guard classes.contains(object.className) else { throw unknown(object, what) }
        return object
    }

    package func unknown(_ object: ArchivedObject, _ what: String) -> any Error {
        failure("has an object of the unknown class '\(object.className)' as \(what)")
    }

    package func className(_ fields: [String: PropertyListValue]) throws -> String? {
        try resolve(fields["$class"])?.dictionary?["$classname"]?.string
    }

    package func string(_ value: PropertyListValue?, _ what: String) throws -> String? {
        guard let resolved = try resolve(value) else { return nil }
        if let text = resolved.string { return text }
        guard let object = try object(value, ["NSString", "NSMutableString"], what),
            let text = try resolve(object["NS.string"])?.string
        else { throw failure("has something else than a string as \(what)") }
        return text
    }

    package func requiredString(_ value: PropertyListValue?, _ what: String) throws -> String {
        guard let text = try string(value, what) else { throw failure("lacks \(what)") }
        return text
    }

    package func flag(_ value: PropertyListValue?) throws -> Bool { try resolve(value)?.boolean ?? false }

    package func integer(_ value: PropertyListValue?, _ what: String) throws -> Int {
        guard let resolved = try resolve(value) else { return 0 }
        guard let number = resolved.integer else { throw failure("has something else than an integer as \(what)") }
        return number
    }

    package static let arrays: Set = ["NSArray", "NSMutableArray", "NSOrderedSet", "NSMutableOrderedSet"]
    package static let sets: Set = ["NSSet", "NSMutableSet"]
    package static let dictionaries: Set = ["NSDictionary", "NSMutableDictionary", "NSKnownKeysDictionary1"]

    /// References to the elements of an array or a set; none for no collection.
    package func elements(_ value: PropertyListValue?, _ what: String) throws -> [PropertyListValue] {
        guard let object = try object(value, Self.arrays.union(Self.sets), what) else { return [] }
        return try elements(of: object)
    }

    package func elements(of object: ArchivedObject) throws -> [PropertyListValue] {
        guard let elements = object["NS.objects"]?.array else {
            throw failure("has a damaged object of class '\(object.className)'")
        }
        return elements
    }

    /// References to the keys and values of a dictionary, in the archive's order; none for no dictionary.
    package func pairs(
        _ value: PropertyListValue?, _ what: String
    ) throws -> [(key: PropertyListValue, value: PropertyListValue)] {
        guard let object = try object(value, Self.dictionaries, what) else { return [] }
        return try pairs(of: object)
    }

    package func pairs(of object: ArchivedObject) throws -> [(key: PropertyListValue, value: PropertyListValue)] {
        guard object.className == "NSKnownKeysDictionary1" else {
            guard let keys = object["NS.keys"]?.array, let values = object["NS.objects"]?.array,
                keys.count == values.count
            else { throw failure("has a damaged dictionary") }
            return Array(zip(keys, values)).map { (key: $0.0, value: $0.1) }
        }
        let mapping = try self.object(
            object["searchMapping"], ["NSKnownKeysMappingStrategy1"], "the keys of a dictionary")
        let keys = try elements(mapping?["keys"], "the keys of a dictionary")
        let values = try elements(object["values"], "the values of a dictionary")
        guard keys.count == values.count else { throw failure("has a damaged dictionary") }
        // A key without a value has this token in its place.
        let token = try resolve(object["emptyToken"])?.string
        return try zip(keys, values).compactMap { key, value in
            if let token, try resolve(value)?.string == token { return nil }
            return (key: key, value: value)
        }
    }
}
