extension PredicateTree {
    /// Whether two trees say the same.
    static func areEqual(_ left: NSObject, _ right: NSObject) -> Bool {
        guard areAlike(left, right) else { return false }
        var pairs = pairedChildren(left, right)
        while let (left, right) = pairs.popLast() {
            if left === right { continue }
            guard isOwn(left) else {
                // Foundation's predicates, and subclasses of a program's, know best.
                guard left.isEqual(right) else { return false }
                continue
            }
            guard areAlike(left, right) else { return false }
            pairs.append(contentsOf: pairedChildren(left, right))
        }
        return true
    }

    private static func pairedChildren(_ left: NSObject, _ right: NSObject) -> [(NSObject, NSObject)] {
        Array(zip(children(of: left), children(of: right)))
    }

    /// Whether a node is compared here and not by its own method.
    private static func isOwn(_ node: NSObject) -> Bool {
        let type = type(of: node)
        return type == NSExpression.self || type == NSComparisonPredicate.self || type == NSCompoundPredicate.self
            || type == Foundation.NSCompoundPredicate.self
    }

    /// Whether two nodes differ at most in what lies below them.
    private static func areAlike(_ left: NSObject, _ right: NSObject) -> Bool {
        switch (left, right) {
        case (let left as NSExpression, let right as NSExpression):
            type(of: left) == type(of: right) && left.storage.isAlike(right.storage)
        case (let left as NSComparisonPredicate, let right as NSComparisonPredicate):
            left.predicateOperatorType == right.predicateOperatorType && left.options == right.options
                && left.comparisonPredicateModifier == right.comparisonPredicateModifier
                && left.customSelector == right.customSelector
        case (let left as Foundation.NSCompoundPredicate, let right as Foundation.NSCompoundPredicate):
            left.compoundPredicateType == right.compoundPredicateType
                && left.subpredicates.count == right.subpredicates.count
        default: false
        }
    }

    // MARK: Hashing

    /// How many levels of a tree enter its hash. Equal trees are equal there too, and others mostly aren't.
    private static let hashedLevels = 6

    /// The hash of a tree: equal trees have equal hashes.
    static func hash(of node: NSObject) -> Int {
        var hasher = Hasher()
        hash(node, hashedLevels, into: &hasher)
        return hasher.finalize()
    }

    private static func hash(_ node: NSObject, _ levels: Int, into hasher: inout Hasher) {
        switch node {
        case let expression as NSExpression: expression.storage.hashSelf(into: &hasher)
        case let comparison as NSComparisonPredicate: hasher.combine(comparison.predicateOperatorType)
        case let compound as Foundation.NSCompoundPredicate: hasher.combine(compound.compoundPredicateType)
        // Foundation's other predicates are equal by value and have the hash of their address.
        default: return
        }
        guard levels > 0 else { return }
        for child in children(of: node) { hash(child, levels - 1, into: &hasher) }
    }
}

extension ExpressionStorage {
    /// Whether two expressions differ at most in what lies below them.
    fileprivate func isAlike(_ other: ExpressionStorage) -> Bool {
        switch (self, other) {
        case (.constant(let left), .constant(let right)): Self.areEqual(left, right)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey), (.conditional, .conditional): true
        case (.variable(let left), .variable(let right)): left == right
        case (.keyPath(let leftOperand, let leftPath), .keyPath(let rightOperand, let rightPath)):
            leftPath == rightPath && Self.isStart(leftOperand) == Self.isStart(rightOperand)
        case (.function(let name, let target, let arguments), .function(let otherName, let otherTarget, let others)):
            name == otherName && (target == nil) == (otherTarget == nil) && arguments.count == others.count
        case (.set(let operation, _, _), .set(let otherOperation, _, _)): operation == otherOperation
        case (.subquery(_, let variable, _), .subquery(_, let otherVariable, _)): variable == otherVariable
        case (.aggregate(let left), .aggregate(let right)): left.count == right.count
        case (.symbolicIndex(let left), .symbolicIndex(let right)): left == right
        case (.assignment(let left, _), .assignment(let right, _)): left == right
        case (.fetch(_, _, let countOnly), .fetch(_, _, let otherCountOnly)): countOnly == otherCountOnly
        // Closures can't be compared.
        default: false
        }
    }

    /// Whether a path starts from the evaluated object: `SELF.x` is `x`.
    private static func isStart(_ operand: NSExpression?) -> Bool { operand?.isEvaluatedObject ?? true }

    private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        // nil and NSNull match the same values but aren't the same constant.
        guard let left, let right else { return left == nil && right == nil }
        // Predicates and expressions are compared as what lies below.
        switch (PredicateTree.nestedNode(in: left), PredicateTree.nestedNode(in: right)) {
        case (nil, nil): return PredicateValue.areEqual(PredicateValue(left), PredicateValue(right))
        case (_?, _?): return true
        default: return false
        }
    }

    fileprivate func hashSelf(into hasher: inout Hasher) {
        switch self {
        case .constant(let value):
            if PredicateTree.nestedNode(in: value) == nil { hasher.combine(ValueKey(value)) }
        case .evaluatedObject: hasher.combine(1)
        case .anyKey: hasher.combine(2)
        case .block: hasher.combine(3)
        case .conditional: hasher.combine(4)
        case .variable(let name), .function(let name, _, _), .assignment(let name, _), .subquery(_, let name, _):
            hasher.combine(name)
        case .keyPath(_, let path): hasher.combine(path)
        case .set(let operation, _, _): hasher.combine(operation)
        case .aggregate(let elements): hasher.combine(elements.count)
        case .symbolicIndex(let index): hasher.combine(index)
        case .fetch(_, _, let countOnly): hasher.combine(countOnly)
        }
    }
}
