/// The names of the operators of key paths, without their `@`.
///
/// ```swift
/// let path = "lines.@\(NSKeyValueOperator.sumKeyValueOperator.rawValue).price"
/// ```
public struct NSKeyValueOperator: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// An operator from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The mean of numbers.
    public static let averageKeyValueOperator = NSKeyValueOperator(rawValue: "avg")
    /// How many elements there are.
    public static let countKeyValueOperator = NSKeyValueOperator(rawValue: "count")
    /// The values in arrays, each once.
    public static let distinctUnionOfArraysKeyValueOperator = NSKeyValueOperator(rawValue: "distinctUnionOfArrays")
    /// The values of the elements, each once.
    public static let distinctUnionOfObjectsKeyValueOperator = NSKeyValueOperator(rawValue: "distinctUnionOfObjects")
    /// The values in sets, each once.
    public static let distinctUnionOfSetsKeyValueOperator = NSKeyValueOperator(rawValue: "distinctUnionOfSets")
    /// The largest value.
    public static let maximumKeyValueOperator = NSKeyValueOperator(rawValue: "max")
    /// The smallest value.
    public static let minimumKeyValueOperator = NSKeyValueOperator(rawValue: "min")
    /// The sum of numbers.
    public static let sumKeyValueOperator = NSKeyValueOperator(rawValue: "sum")
    /// The values in arrays.
    public static let unionOfArraysKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfArrays")
    /// The values of the elements.
    public static let unionOfObjectsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfObjects")
    /// The values in sets.
    public static let unionOfSetsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfSets")
}
