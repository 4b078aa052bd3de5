/// A predicate that compares the values of two expressions.
///
/// ```swift
/// let predicate = NSComparisonPredicate(
///     leftExpression: NSExpression(forKeyPath: "name"), rightExpression: NSExpression(forConstantValue: "anna"),
///     modifier: .direct, type: .beginsWith, options: [.caseInsensitive])
/// // name BEGINSWITH[c] "anna"
/// ```
///
/// A file that imports Foundation as well and writes the name as a type needs
/// `typealias NSComparisonPredicate = CoreData.NSComparisonPredicate` once in its module.
open class NSComparisonPredicate: NSPredicate {
    // The sides change only while the predicate is released.

    /// The expression on the left of the operator.
    @exclusivity(unchecked) public private(set) final var leftExpression: NSExpression

    /// The expression on the right of the operator.
    @exclusivity(unchecked) public private(set) final var rightExpression: NSExpression

    /// Whether one comparison is made, or one for each element of the left side's collection.
    public let comparisonPredicateModifier: Modifier

    /// The operator.
    public let predicateOperatorType: Operator

    /// How strings are compared.
    public let options: Options

    /// The method name of a predicate with the operator ``Operator/customSelector``: `isKindOfClass:`. Linux has no
    /// selectors; the name takes their place.
    public let customSelector: String?

    let constantCollection = ConstantCollection()

    /// Whether the predicate was read from an archive and may not be evaluated yet.
    @exclusivity(unchecked) final var isLocked = false

    /// A comparison of two expressions.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = modifier
        predicateOperatorType = type
        self.options = options
        customSelector = nil
        super.init(value: false)
    }

    /// A comparison by a method of the left value that takes the right value: `SELF isKindOfClass: %@`.
    ///
    /// It is evaluated in memory only, for the methods that this library knows and for objects that are a
    /// ``FunctionExpressionTarget``.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: String
    ) {
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = .direct
        predicateOperatorType = .customSelector
        options = []
        customSelector = selector
        super.init(value: false)
    }

    /// The predicate in the language of ``PredicateFormatInitializable/init(format:_:)``.
    open override var predicateFormat: String { formatText }

    /// The same text as ``predicateFormat``.
    open override var description: String { formatText }

    /// Whether the comparison holds for an object.
    ///
    /// A comparison that can't be made (a string that is smaller than a number) raises on Apple's systems. Here it
    /// stops debug builds; optimised builds log the reason and give `false`.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        evaluateOrReport(with: object, bindings)
    }

    /// The predicate itself; predicates don't change.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another predicate makes the same comparison.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSComparisonPredicate else { return false }
        return self === other || PredicateTree.areEqual(self, other)
    }

    /// Equal predicates have equal hashes.
    open override var hash: Int { PredicateTree.hash(of: self) }

    deinit {
        if leftExpression.isLeaf && rightExpression.isLeaf { return }
        var children = PredicateTree.children(of: self)
        leftExpression = Self.nothing
        rightExpression = Self.nothing
        PredicateTree.release(&children)
    }

    /// What a predicate's sides are while it is released.
    nonisolated(unsafe) private static let nothing = NSExpression(forConstantValue: nil)
}
