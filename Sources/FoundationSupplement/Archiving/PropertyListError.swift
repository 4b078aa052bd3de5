/// What is wrong with the bytes of a property list. Readers of files turn it into a `ModelFileError` with the path.
package struct PropertyListError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
