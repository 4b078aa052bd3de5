/// One object of a keyed archive: its class and what it encoded.
package struct ArchivedObject {
    /// Its place in the table of objects; -1 for a value that stands where an object should.
    package let uid: Int
    package let className: String
    package let fields: [String: PropertyListValue]

    package subscript(_ key: String) -> PropertyListValue? { fields[key] }
}
