/// One side of a comparison: a constant, a key path, a variable, a function call, and so on.
///
/// ```swift
/// let price = NSExpression(forKeyPath: "price")
/// let total = NSExpression(format: "price * quantity")
/// let value = total.expressionValue(with: line, context: nil)
/// ```
///
/// Linux's Foundation declares the name without a usable initialiser; this class takes its place. A file that imports
/// Foundation as well and writes the name as a type needs `typealias NSExpression = CoreData.NSExpression` once in its
/// module.
///
/// A property that doesn't belong to the expression's type, for example ``keyPath`` of a constant, raises on Apple's
/// systems. Here it stops debug builds, and gives an empty value in optimised ones.
open class NSExpression: NSObject, NSCopying, NSSecureCoding, ExpressionFormatInitializable {
    /// What an expression is.
    public enum ExpressionType: UInt, Sendable {
        /// A fixed value.
        case constantValue = 0
        /// `SELF`, the object under evaluation.
        case evaluatedObject
        /// `$name`
        case variable
        /// `a.b.c`, on the evaluated object or on another expression's value.
        case keyPath
        /// A built-in function, or a method called on a target.
        case function
        /// `a UNION b`
        case unionSet
        /// `a INTERSECT b`
        case intersectSet
        /// `a MINUS b`
        case minusSet
        /// `SUBQUERY(collection, $variable, predicate)`
        case subquery = 13
        /// `{a, b, c}`
        case aggregate
        /// `ANYKEY`, which only Spotlight gives a meaning.
        case anyKey
        /// A Swift closure.
        case block = 19
        /// `TERNARY(predicate, a, b)`
        case conditional
    }

    /// The closure of a block expression: the evaluated object, the arguments and the variables.
    public typealias Block = (Any?, [NSExpression], NSMutableDictionary?) -> Any

    /// It changes only while the expression is released.
    @exclusivity(unchecked) package private(set) final var storage: ExpressionStorage

    /// Whether the expression was read from an archive and may not be evaluated yet.
    @exclusivity(unchecked) final var isLocked = false

    package init(storage: ExpressionStorage) {
        self.storage = storage
        super.init()
    }

    /// An expression of a type that needs no more than the type: `.evaluatedObject` or `.anyKey`.
    ///
    /// It is there for subclasses; every other type becomes the constant `nil`.
    public init(expressionType type: ExpressionType) {
        switch type {
        case .evaluatedObject: storage = .evaluatedObject
        case .anyKey: storage = .anyKey
        default: storage = .constant(nil)
        }
        super.init()
    }

    /// A fixed value. Swift values are kept as they are.
    public init(forConstantValue obj: Any?) {
        storage = .constant(flattened(obj))
        super.init()
    }

    /// `$string`, whose value is given when the expression is evaluated.
    public init(forVariable string: String) {
        storage = .variable(string)
        super.init()
    }

    /// A key path on the evaluated object: `author.name`, `lines.@sum.price`.
    public init(forKeyPath keyPath: String) {
        storage = .keyPath(operand: nil, path: keyPath)
        super.init()
    }

    /// A built-in function, named as Apple does: `sum:`, `add:to:`, `uppercase:`.
    ///
    /// A name that doesn't exist is reported when the expression is evaluated. Arguments that aren't expressions
    /// become constants.
    public init(forFunction name: String, arguments parameters: [Any]) {
        storage = .function(name: BuiltInFunction.canonicalName(name), operand: nil, Self.expressions(parameters))
        super.init()
    }

    /// A method of the target's value, `FUNCTION(target, "name:", …)` in a format.
    ///
    /// Linux has no Objective-C runtime to call any method: the target is a ``FunctionExpressionTarget``, or the name
    /// is one of the usual methods of strings, numbers, dates and collections.
    public init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        storage = .function(name: name, operand: target, Self.expressions(parameters ?? []))
        super.init()
    }

    /// `{a, b, c}`: a collection whose elements are evaluated.
    public init(forAggregate subexpressions: [NSExpression]) {
        storage = .aggregate(subexpressions)
        super.init()
    }

    /// All elements of both collections.
    public init(forUnionSet left: NSExpression, with right: NSExpression) {
        storage = .set(.union, left, right)
        super.init()
    }

    /// The elements that both collections have.
    public init(forIntersectSet left: NSExpression, with right: NSExpression) {
        storage = .set(.intersect, left, right)
        super.init()
    }

    /// The elements of the left collection that the right one lacks.
    public init(forMinusSet left: NSExpression, with right: NSExpression) {
        storage = .set(.minus, left, right)
        super.init()
    }

    /// The elements of a collection for which the predicate holds; the predicate calls an element `$variable`.
    public init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate) {
        storage = .subquery(expression, variable: variable, predicate)
        super.init()
    }

    /// One of two expressions, chosen by a predicate.
    public init(forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression) {
        storage = .conditional(predicate, trueExpression, falseExpression)
        super.init()
    }

    /// A closure. It is evaluated in memory only; no store can translate it.
    public init(block: @escaping Block, arguments: [NSExpression]?) {
        storage = .block(block, arguments ?? [])
        super.init()
    }

    /// Reads an expression from an archive.
    public required init?(coder: NSCoder) {
        guard let expression = PredicateCoding.decode(NSExpression.self, from: coder) else { return nil }
        storage = expression.storage
        isLocked = expression.isLocked
        super.init()
    }

    /// Writes the expression into an archive.
    ///
    /// A closure, and a constant without secure coding, can't be archived: that is a programmer's error.
    open func encode(with coder: NSCoder) { PredicateCoding.encode(self, with: coder) }

    /// Expressions have secure coding.
    open class var supportsSecureCoding: Bool { true }

    deinit {
        if isLeaf { return }
        var children = PredicateTree.children(of: self)
        storage = .evaluatedObject
        PredicateTree.release(&children)
    }

    /// `SELF`.
    public class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(storage: .evaluatedObject)
    }

    /// `ANYKEY`.
    public class func expressionForAnyKey() -> NSExpression {
        NSExpression(storage: .anyKey)
    }

    /// The value of the expression for an object.
    ///
    /// - Parameters:
    ///   - object: What key paths start from.
    ///   - context: The values of variables, by name.
    ///
    /// An expression that can't be evaluated raises on Apple's systems. Here it stops debug builds; optimised builds
    /// log the reason and give `nil`.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        do {
            return try evaluated(in: EvaluationContext(object: object, variables: context.variableValues, bag: context))
        } catch {
            misuse("\(error)")
            return nil
        }
    }

    /// Allows the evaluation of an expression that was read from an archive by secure coding.
    ///
    /// Until then evaluating it is a programmer's error: look at what came from elsewhere before you run it.
    open func allowEvaluation() { PredicateTree.setLock(false, of: self) }

    /// The expression itself; expressions don't change.
    open override func copy() -> Any { self }

    /// The expression itself; expressions don't change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another expression says the same. A constant collection isn't equal to an aggregate.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || PredicateTree.areEqual(self, other)
    }

    /// Equal expressions have equal hashes.
    open override var hash: Int { PredicateTree.hash(of: self) }

    /// The text of the expression, in the language of ``ExpressionFormatInitializable/init(format:_:)``.
    open override var description: String { formatText }

    private static func expressions(_ values: [Any]) -> [NSExpression] {
        values.map { $0 as? NSExpression ?? NSExpression(forConstantValue: $0) }
    }
}
