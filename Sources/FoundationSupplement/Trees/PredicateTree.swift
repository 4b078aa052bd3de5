/// The tree that predicates and expressions make up together.
///
/// A format gives trees of bounded height, a program may make them as high as it likes. So what walks through them keeps
/// its place in an array: a stack overflows at some ten thousand levels.
enum PredicateTree {
    /// The nodes directly below a node, in the order of its text. `SELF` in front of a key path says nothing and is none.
    static func children(of node: NSObject) -> [NSObject] {
        switch node {
        case let expression as NSExpression: children(of: expression.storage)
        case let comparison as NSComparisonPredicate: [comparison.leftExpression, comparison.rightExpression]
        case let compound as Foundation.NSCompoundPredicate: compound.subpredicates
        default: []
        }
    }

    private static func children(of storage: ExpressionStorage) -> [NSObject] {
        switch storage {
        case .constant(let value): nestedNode(in: value).map { [$0] } ?? []
        case .evaluatedObject, .variable, .anyKey, .symbolicIndex, .keyPath(nil, _): []
        case .keyPath(let operand?, _): operand.isEvaluatedObject ? [] : [operand]
        case .function(_, nil, let arguments), .aggregate(let arguments), .block(_, let arguments): arguments
        case .function(_, let target?, let arguments): [target] + arguments
        case .set(_, let left, let right): [left, right]
        case .subquery(let collection, _, let predicate): [collection, predicate]
        case .conditional(let predicate, let yes, let no): [predicate, yes, no]
        case .assignment(_, let value): [value]
        case .fetch(let request, let context, _): [request, context]
        }
    }

    /// A constant that is a predicate or an expression itself.
    static func nestedNode(in constant: Any?) -> NSObject? {
        guard let constant, type(of: constant) is AnyClass else { return nil }
        let object = constant as AnyObject
        return object as? NSExpression ?? object as? NSPredicate
    }

    // MARK: Releasing

    /// Lets go of nodes, and of what nobody else holds below them, one after the other.
    ///
    /// A node calls it from its `deinit` with what it held, and holds no longer: left alone, the release of a tree
    /// recurses.
    static func release(_ nodes: inout [NSObject]) {
        while var node = nodes.popLast() {
            // What somebody else holds stays whole. The children of the others outlive them by this.
            guard isKnownUniquelyReferenced(&node) else { continue }
            nodes.append(contentsOf: children(of: node))
        }
    }
}

extension NSExpression {
    /// Whether the expression is `SELF`.
    var isEvaluatedObject: Bool {
        if case .evaluatedObject = storage { true } else { false }
    }

    /// Whether nothing lies below the expression, as far as can be told at a glance.
    final var isLeaf: Bool {
        switch storage {
        case .evaluatedObject, .variable, .anyKey, .symbolicIndex, .keyPath(nil, _): true
        case .constant(let value): PredicateTree.nestedNode(in: value) == nil
        default: false
        }
    }
}
