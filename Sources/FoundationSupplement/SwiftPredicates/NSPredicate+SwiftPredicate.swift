extension PredicateFormatInitializable {
    /// A predicate from a Swift predicate.
    ///
    /// ```swift
    /// NSPredicate(#Predicate<Note> { $0.title.contains("x") && $0.number > 3 })  // title CONTAINS "x" AND number > 3
    /// ```
    ///
    /// It is nil when the Swift predicate has no counterpart in the language of formats, or uses a property whose key
    /// ``KeyPathNames`` doesn't know.
    public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
        var conversion = SwiftPredicateConversion(of: predicate.variable.key)
        guard let converted = try? conversion.predicate(predicate.expression), let result = converted as? Self else {
            return nil
        }
        self = result
    }
}
