extension NSExpression {
    /// A key-path expression from a Swift key path, whose key ``KeyPathNames`` knows.
    ///
    /// A key path that it doesn't know, such as one to a computed property, is a programmer's error.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        if let name = KeyPathNames.name(for: keyPath) {
            self.init(forKeyPath: name)
        } else {
            misuse("The key of \(keyPath) is not known; register it with KeyPathNames.")
            self.init(forKeyPath: "\(keyPath)")
        }
    }
}
