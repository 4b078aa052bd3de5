/// What a file of Xcode's says beside the model itself.
package struct SourceDocument {
    /// The root element: which tools saved it, and for what.
    var spelling = SourceSpelling()
    /// The elements of configurations, by name.
    var configurations: [String: SourceSpelling] = [:]
    /// The composites that the file describes, in its order; not all need be in use.
    var composites: [(name: String, elements: [NSAttributeDescription])] = []
    /// Whether the order of entities and properties is that of a file.
    var isOrdered = false
}
