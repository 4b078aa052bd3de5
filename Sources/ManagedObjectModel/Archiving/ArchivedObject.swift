import FoundationSupplement

/// One object of a keyed archive: its class and what it encoded.
struct ArchivedObject {
    /// Its place in the table of objects; -1 for a value that stands where an object should.
    let uid: Int
    let className: String
    let fields: [String: PropertyListValue]

    subscript(_ key: String) -> PropertyListValue? { fields[key] }
}
