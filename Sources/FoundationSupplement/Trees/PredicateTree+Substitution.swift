extension PredicateTree {
    /// A tree with constants in the places of variables. What has none is the same object as before.
    static func substituting(_ variables: [String: Any], in root: NSObject) -> NSObject {
        var places = [Place(root, variables)]
        while let place = places.popLast() {
            if let child = place.next {
                places.append(place)
                places.append(Place(child, place.variablesOfNext))
                continue
            }
            let result = place.result
            guard let parent = places.indices.last else { return result }
            places[parent].rebuilt.append(result)
        }
        return root
    }

    /// A node on the way from the root to the node that is looked at.
    private struct Place {
        let node: NSObject
        let variables: [String: Any]
        private let children: [NSObject]
        /// What the children have become, as far as they have been looked at.
        var rebuilt: [NSObject] = []

        init(_ node: NSObject, _ variables: [String: Any]) {
            self.node = node
            self.variables = variables
            children = PredicateTree.children(of: node)
        }

        var next: NSObject? { rebuilt.count < children.count ? children[rebuilt.count] : nil }

        /// Inside a subquery's predicate, its variable is its own.
        var variablesOfNext: [String: Any] {
            guard rebuilt.count == 1, case .subquery(_, let own, _)? = (node as? NSExpression)?.storage,
                variables[own] != nil
            else { return variables }
            return variables.filter { $0.key != own }
        }

        var result: NSObject {
            if case .variable(let name)? = (node as? NSExpression)?.storage, let value = variables[name] {
                return value as? NSExpression ?? NSExpression(forConstantValue: value is NSNull ? nil : value)
            }
            if zip(children, rebuilt).allSatisfy({ $0 === $1 }) { return node }
            let result = PredicateTree.rebuild(node, rebuilt)
            (result as? any EvaluationLocking)?.isLocked = (node as? any EvaluationLocking)?.isLocked ?? false
            return result
        }
    }

    /// A node like another over other children.
    private static func rebuild(_ node: NSObject, _ children: [NSObject]) -> NSObject {
        switch node {
        case let expression as NSExpression: return expression.rebuilt(over: children)
        case let comparison as NSComparisonPredicate:
            guard let left = children[0] as? NSExpression, let right = children[1] as? NSExpression else { return node }
            if let selector = comparison.customSelector {
                return NSComparisonPredicate(leftExpression: left, rightExpression: right, customSelector: selector)
            }
            return NSComparisonPredicate(
                leftExpression: left, rightExpression: right, modifier: comparison.comparisonPredicateModifier,
                type: comparison.predicateOperatorType, options: comparison.options)
        case let compound as Foundation.NSCompoundPredicate:
            return NSCompoundPredicate(
                type: compound.compoundPredicateType, subpredicates: children.compactMap { $0 as? NSPredicate })
        default: return node
        }
    }
}

extension NSExpression {
    fileprivate func rebuilt(over children: [NSObject]) -> NSExpression {
        let expressions = children.compactMap { $0 as? NSExpression }
        let predicate = children.lazy.compactMap { $0 as? NSPredicate }.first
        switch (storage, expressions.first) {
        case (.constant, _): return NSExpression(forConstantValue: children.first)
        case (.keyPath(_, let path), let operand?): return NSExpression(storage: .keyPath(operand: operand, path: path))
        case (.function(let name, nil, _), _):
            return NSExpression(storage: .function(name: name, operand: nil, expressions))
        case (.function(let name, _, _), let target?):
            return NSExpression(storage: .function(name: name, operand: target, Array(expressions.dropFirst())))
        case (.aggregate, _): return NSExpression(storage: .aggregate(expressions))
        case (.block(let block, _), _): return NSExpression(storage: .block(block, expressions))
        case (.set(let operation, _, _), let left?) where expressions.count == 2:
            return NSExpression(storage: .set(operation, left, expressions[1]))
        case (.subquery(_, let variable, let condition), let collection?):
            return NSExpression(storage: .subquery(collection, variable: variable, predicate ?? condition))
        case (.conditional(let condition, _, _), let yes?) where expressions.count == 2:
            return NSExpression(storage: .conditional(predicate ?? condition, yes, expressions[1]))
        case (.assignment(let name, _), let value?): return NSExpression(storage: .assignment(name, value))
        case (.fetch(_, _, let countOnly), let request?) where expressions.count == 2:
            return FetchExpressionFactory.make(request, expressions[1], countOnly)
        default: return self
        }
    }
}
