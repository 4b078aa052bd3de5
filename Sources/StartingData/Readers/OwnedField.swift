/// A key with its value in a nested object.
package struct OwnedField: Sendable, Equatable {
    /// The key as the source has it.
    package var key: String
    /// The value of the key.
    package var value: OwnedValue

    /// A key with its value.
    package init(key: String, value: OwnedValue) {
        self.key = key
        self.value = value
    }
}
