import FoundationSupplement
import ManagedObjectModel

/// Makes dictionaries of objects in memory, with the meaning that SQL has.
struct DictionaryEvaluation {
    private let wanted: DictionaryFetch
    private let template: DictionaryTemplate

    init(_ wanted: DictionaryFetch) {
        self.wanted = wanted
        template = DictionaryTemplate(wanted.columns.map(\.name))
    }

    /// - Parameter objects: all that match the predicate, in order: managed objects, or a store's nodes.
    func dictionaries(of objects: [NSObject]) throws -> [NSDictionary] {
        var results = try groups(of: objects).compactMap { group -> [AnyObject?]? in
            if let having = wanted.having, try !holds(having, group) { return nil }
            return try wanted.columns.map { try value($0, group) }
        }
        if wanted.isDistinct {
            var seen: Set<[ValueKey]> = []
            results = results.filter { seen.insert($0.map { ValueKey($0) }).inserted }
        }
        return wanted.fetch.window(of: results).map(template.dictionary)
    }

    private func groups(of objects: [NSObject]) throws -> [[NSObject]] {
        guard wanted.isGrouped else { return objects.map { [$0] } }
        guard !wanted.groups.isEmpty else { return [objects] }
        var places: [[ValueKey]: Int] = [:]
        var groups: [[NSObject]] = []
        for object in objects {
            let key = try wanted.groups.map { ValueKey(try $0.expression.evaluateThrowing(with: object)) }
            if let place = places[key] {
                groups[place].append(object)
            } else {
                places[key] = groups.count
                groups.append([object])
            }
        }
        return groups
    }

    private func value(_ column: DictionaryFetch.Column, _ group: [NSObject]) throws -> AnyObject? {
        let expression = try resolved(column.expression, group)
        let value = flattened(
            try group.isEmpty && !expression.isSame ? nil : expression.evaluateThrowing(with: group.first))
        switch value {
        case nil, is NSNull: return nil
        case let object as any PredicateIdentity: return object.predicateIdentity
        case let value?:
            guard column.type != .objectIDAttributeType else { return value as AnyObject }
            // As it is, where it isn't of the type that was asked for.
            let type = column.type == .undefinedAttributeType ? nil : column.type
            let slot = try type.flatMap { try? SlotValue(value, for: $0) } ?? SlotValue(constant: value)
            return slot.bridged(type)
        }
    }

    // MARK: Aggregates

    private func holds(_ predicate: NSPredicate, _ group: [NSObject]) throws -> Bool {
        try resolved(predicate, group).evaluateThrowing(with: group.first, variables: [:])
    }

    private func resolved(_ predicate: NSPredicate, _ group: [NSObject], depth: Int = 0) throws -> NSPredicate {
        guard depth < 250 else { throw CocoaError.request("a havingPredicate of more than 250 levels") }
        switch predicate {
        case let comparison as FoundationSupplement.NSComparisonPredicate:
            guard comparison.predicateOperatorType != .customSelector else {
                throw CocoaError.request("a havingPredicate with an operator of the program's own")
            }
            return FoundationSupplement.NSComparisonPredicate(
                leftExpression: try resolved(comparison.leftExpression, group),
                rightExpression: try resolved(comparison.rightExpression, group),
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        case let compound as Foundation.NSCompoundPredicate:
            let parts = try compound.subpredicates.map { try resolved($0, group, depth: depth + 1) }
            return FoundationSupplement.NSCompoundPredicate(type: compound.compoundPredicateType, subpredicates: parts)
        default: return predicate
        }
    }

    /// The expression with the values of a group in the places of aggregates, and of columns that it calls by name.
    private func resolved(_ expression: DictionaryFetch.Expression, _ group: [NSObject]) throws
        -> DictionaryFetch.Expression
    {
        if let (function, argument) = expression.aggregate {
            var values: [Any] = []
            for object in group {
                guard let value = flattened(try argument.evaluateThrowing(with: object)), !(value is NSNull) else {
                    continue
                }
                if let elements = collectionElements(of: value) {
                    values += elements.compactMap(\.self)
                } else {
                    values.append(value)
                }
            }
            return DictionaryFetch.Expression(
                forFunction: function, arguments: [DictionaryFetch.Expression(forConstantValue: values)])
        }
        switch expression.storage {
        case .function(let name, nil, let arguments):
            return DictionaryFetch.Expression(
                forFunction: name, arguments: try arguments.map { try resolved($0, group) })
        case .variable(let name):
            guard let column = wanted.columns.first(where: { $0.name == name }) else { return expression }
            return try resolved(column.expression, group)
        default: return expression
        }
    }
}

extension DictionaryFetch {
    /// The dictionaries of what stores have, made in memory: for stores that don't make any, and for several.
    func evaluated(over stores: [NSPersistentStore], of context: NSManagedObjectContext) throws -> [NSDictionary] {
        // Of a context of its own: unsaved changes have no part in dictionaries.
        let reader = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        reader.persistentStoreCoordinator = context.persistentStoreCoordinator
        let objects = try reader.objects(FetchPlan(storedObjectsOf: fetch.unlimited, in: stores))
        return try DictionaryEvaluation(self).dictionaries(of: objects)
    }
}

extension NSManagedObjectContext {
    /// The dictionaries that a request finds in the stores.
    func dictionaries(_ plan: FetchPlan) throws -> [NSDictionary] {
        guard let wanted = plan.dictionaries else { return [] }
        guard plan.stores.count == 1, let store = plan.stores.first else {
            return try wanted.evaluated(over: plan.stores, of: self)
        }
        return try read([store]) { try store.dictionaries(wanted, in: self) }
    }
}
