import CoreData
import FoundationSupplement

private typealias NSExpression = FoundationSupplement.NSExpression

/// What a predicate means in a store, as a predicate for memory.
///
/// SQL and memory differ where nil is compared, as on Apple's systems: in SQL such a comparison is neither true nor
/// false. Here each comparison of single values also asks whether there are values; NOT goes down to the comparisons
/// first, since what is unknown stays so under NOT. ANY of a to-one path becomes the comparison itself, which memory
/// refuses.
struct StoreMeaning {
    let root: NSEntityDescription
    var variables: [String: NSEntityDescription] = [:]

    private typealias Comparison = FoundationSupplement.NSComparisonPredicate

    func predicate(_ predicate: NSPredicate, isNegated: Bool = false) -> NSPredicate {
        switch predicate {
        case let comparison as Comparison: return self.comparison(comparison, isNegated)
        case let compound as Foundation.NSCompoundPredicate:
            if compound.compoundPredicateType == .not {
                return self.predicate(compound.subpredicates[0], isNegated: !isNegated)
            }
            let parts = compound.subpredicates.map { self.predicate($0, isNegated: isNegated) }
            return (compound.compoundPredicateType == .and) != isNegated ? all(parts) : any(parts)
        default: return isNegated ? not(predicate) : predicate
        }
    }

    private func all(_ parts: [NSPredicate]) -> NSPredicate {
        FoundationSupplement.NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }

    private func any(_ parts: [NSPredicate]) -> NSPredicate {
        FoundationSupplement.NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    }

    private func not(_ part: NSPredicate) -> NSPredicate {
        FoundationSupplement.NSCompoundPredicate(notPredicateWithSubpredicate: part)
    }

    // MARK: Comparisons

    private func comparison(_ given: Comparison, _ isNegated: Bool) -> NSPredicate {
        let (left, right) = (given.leftExpression, given.rightExpression)
        let isOverCollection = isCollection(left) || isCollection(right)
        if given.comparisonPredicateModifier != .direct, !isOverCollection, list(left) == nil {
            return comparison(
                Comparison(
                    leftExpression: left, rightExpression: right, modifier: .direct,
                    type: given.predicateOperatorType, options: given.options), isNegated)
        }
        let rewritten = Comparison(
            leftExpression: expression(left), rightExpression: expression(right),
            modifier: given.comparisonPredicateModifier, type: given.predicateOperatorType, options: given.options)
        let plain = isNegated ? not(rewritten) : rewritten
        if isOverCollection || given.comparisonPredicateModifier != .direct { return plain }
        switch given.predicateOperatorType {
        case .equalTo, .notEqualTo:
            return isNil(left) || isNil(right) ? plain : guarded(plain, left, right)
        case .between:
            guard let bounds = list(right), bounds.count == 2 else { return plain }
            let parts = [
                half(given, left, .greaterThanOrEqualTo, bounds[0], isNegated),
                half(given, left, .lessThanOrEqualTo, bounds[1], isNegated),
            ]
            return isNegated ? any(parts) : all(parts)
        case .in:
            return list(right).map { member(given, plain, left, $0, isNegated) } ?? guarded(plain, left, right)
        case .contains:
            return list(left).map { member(given, plain, right, $0, isNegated) } ?? guarded(plain, left, right)
        default: return guarded(plain, left, right)
        }
    }

    /// One half of BETWEEN; against nil it is unknown.
    private func half(
        _ given: Comparison, _ left: NSExpression, _ type: Comparison.Operator, _ bound: NSExpression,
        _ isNegated: Bool
    ) -> NSPredicate {
        if isNil(bound) { return NSPredicate(value: false) }
        let half = Comparison(
            leftExpression: left, rightExpression: bound, modifier: .direct, type: type, options: given.options)
        return comparison(half, isNegated)
    }

    private func member(
        _ given: Comparison, _ plain: NSPredicate, _ element: NSExpression, _ list: [NSExpression], _ isNegated: Bool
    ) -> NSPredicate {
        guard list.allSatisfy(isConstant) else {
            let parts = list.map { value in
                comparison(
                    Comparison(
                        leftExpression: element, rightExpression: value, modifier: .direct, type: .equalTo,
                        options: given.options), isNegated)
            }
            return isNegated ? all(parts) : any(parts)
        }
        return list.isEmpty || list.contains(where: isNil) ? plain : guarded(plain, element)
    }

    private func guarded(_ plain: NSPredicate, _ sides: NSExpression...) -> NSPredicate {
        let guards = sides.filter { !isConstant($0) }.map { side -> NSPredicate in
            Comparison(
                leftExpression: expression(side), rightExpression: NSExpression(forConstantValue: nil),
                modifier: .direct, type: .notEqualTo)
        }
        return all(guards + [plain])
    }

    // MARK: Expressions

    /// The expression with the store's meaning of the predicates in it.
    private func expression(_ given: NSExpression) -> NSExpression {
        switch given.storage {
        case .keyPath(let start?, let path): NSExpression(storage: .keyPath(operand: expression(start), path: path))
        case .function(let name, let target, let arguments):
            NSExpression(storage: .function(name: name, operand: target, arguments.map(expression)))
        case .aggregate(let elements): NSExpression(storage: .aggregate(elements.map(expression)))
        case .subquery(let collection, let variable, let predicate):
            NSExpression(
                storage: .subquery(
                    expression(collection), variable: variable,
                    inner(collection, variable).predicate(predicate)))
        case .conditional(let predicate, let yes, let no):
            NSExpression(storage: .conditional(self.predicate(predicate), expression(yes), expression(no)))
        default: given
        }
    }

    private func inner(_ collection: NSExpression, _ variable: String) -> StoreMeaning {
        var inner = self
        inner.variables[variable] = walk(collection)?.entity
        return inner
    }

    private func isConstant(_ expression: NSExpression) -> Bool {
        switch expression.storage {
        case .constant: true
        case .function(_, nil, let arguments): arguments.allSatisfy(isConstant)
        case .aggregate(let elements): elements.allSatisfy(isConstant)
        default: false
        }
    }

    private func isNil(_ expression: NSExpression) -> Bool {
        if case .constant(let value) = expression.storage { PredicateValue(value).isNull } else { false }
    }

    private func list(_ expression: NSExpression) -> [NSExpression]? {
        switch expression.storage {
        case .aggregate(let elements): elements
        case .constant(let value): collectionElements(of: value)?.map { NSExpression(forConstantValue: $0) }
        default: nil
        }
    }

    private func isCollection(_ expression: NSExpression) -> Bool { walk(expression)?.isMany ?? false }

    /// Where a path ends, and whether it goes through a to-many relationship.
    private func walk(_ expression: NSExpression) -> (entity: NSEntityDescription?, isMany: Bool)? {
        switch expression.storage {
        case .evaluatedObject: return (root, false)
        case .variable(let name): return (variables[name], false)
        case .subquery(let collection, _, _): return (walk(collection)?.entity, true)
        case .keyPath(let start, let path):
            guard var place = start.map(walk) ?? (root, false) else { return nil }
            for step in path.split(separator: ".") where step != "SELF" {
                if step.hasPrefix("@") { return nil }
                let relationship = place.entity?.relationshipsByName[String(step)]
                place = (relationship?.destinationEntity, place.isMany || relationship?.isToMany ?? false)
            }
            return place
        default: return nil
        }
    }
}
