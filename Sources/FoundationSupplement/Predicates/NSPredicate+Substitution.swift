extension PredicateFormatInitializable where Self: NSPredicate {
    /// The predicate with constants in the places of variables.
    ///
    /// ```swift
    /// let template = NSPredicate(format: "name == $NAME")
    /// template.withSubstitutionVariables(["NAME": "Anna"])  // name == "Anna"
    /// ```
    ///
    /// A variable without a value stays. `NSNull` stands for nil.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        PredicateTree.substituting(variables, in: self) as? Self ?? self
    }
}
