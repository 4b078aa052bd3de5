import FoundationSupplement
import ManagedObjectModel

/// What a store is asked for by a request with the dictionary result type.
package struct DictionaryFetch {
    /// Which rows, and the order and window of the results.
    package let fetch: StoreFetch
    /// What is in each dictionary.
    package let columns: [Column]
    /// What the rows are grouped by.
    package let groups: [Column]
    /// Which groups are wanted.
    package let having: NSPredicate?
    package let isDistinct: Bool

    /// Whether several rows may become one dictionary.
    package var isGrouped: Bool { !groups.isEmpty || columns.contains { $0.expression.isAggregate } }

    /// One entry of a dictionary.
    package struct Column {
        package let name: String
        package let expression: Expression
        /// The type as which the value is handed out; undefined for a value that is handed out as it is.
        package var type: NSAttributeType
        /// The attribute that the value is of, for what its type doesn't say.
        package var attribute: NSAttributeDescription?
    }

    package typealias Expression = FoundationSupplement.NSExpression
}

extension DictionaryFetch {
    /// What a request asks for; nil for a request with another type of results, whose properties are checked only.
    ///
    /// - Throws: 134060, with Apple's wording where it is known, for properties that can't be fetched.
    init?<T>(_ request: NSFetchRequest<T>, _ fetch: StoreFetch) throws {
        let entity = fetch.entity
        let isWanted = request.resultType == .dictionaryResultType
        let columns = try request.propertiesToFetch?.map { try Self.column($0, entity) } ?? []
        let groups =
            try request.propertiesToGroupBy?.map { try Self.column($0, entity, "setPropertiesToGroupBy:") } ?? []
        guard isWanted else {
            if let computed = columns.first(where: { $0.expression.plainKeyPath == nil }) {
                throw CocoaError.request(
                    "Invalid property (\(computed.name)) passed to setPropertiesToFetch: an NSExpressionDescription needs"
                        + " the dictionary result type")
            }
            guard groups.isEmpty else {
                throw CocoaError.request("propertiesToGroupBy needs the dictionary result type")
            }
            return nil
        }
        self.fetch = fetch
        self.columns = columns.isEmpty ? Self.allColumns(entity) : columns
        self.groups = groups
        having = request.havingPredicate
        isDistinct = request.returnsDistinctResults
        try checkGroups()
    }

    private func checkGroups() throws {
        guard !groups.isEmpty else {
            if having == nil { return }
            throw CocoaError.request("a havingPredicate needs propertiesToGroupBy")
        }
        let grouped = Set(groups.map(\.expression))
        for column in columns where !grouped.contains(column.expression) {
            guard !column.expression.isAggregate, !column.expression.isSame else { continue }
            throw CocoaError.request(
                "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY or"
                    + " aggregate functions ((\(column.name)) not in GROUP BY)")
        }
    }

    /// Where nothing is asked for, everything: attributes, and to-one relationships as object IDs.
    private static func allColumns(_ entity: NSEntityDescription) -> [Column] {
        entity.layout.kinds.compactMap { kind in
            switch kind {
            case .attribute(let attribute)
            where !attribute.isTransient && attribute.attributeType != .compositeAttributeType:
                Column(
                    name: attribute.name, expression: Expression(forKeyPath: attribute.name),
                    type: attribute.attributeType, attribute: attribute)
            case .toOne(let relationship) where !relationship.isTransient:
                Column(
                    name: relationship.name, expression: Expression(forKeyPath: relationship.name),
                    type: .objectIDAttributeType)
            default: nil
            }
        }
    }

    private static func column(
        _ property: Any, _ entity: NSEntityDescription, _ setter: String = "setPropertiesToFetch:"
    ) throws -> Column {
        switch property {
        case let computed as NSExpressionDescription:
            guard let expression = computed.expression else {
                throw CocoaError.request(
                    "Invalid property (\(computed.name)) passed to \(setter) without an expression")
            }
            return try column(computed, expression, entity, setter)
        case let property as NSPropertyDescription:
            guard let own = entity.property(property.name), type(of: own) == type(of: property) else {
                throw CocoaError.request("Invalid property (\(property.name)) passed to \(setter) (entity mismatch)")
            }
            return try column(property.name, entity, setter)
        default:
            // Linux boxes strings in arrays of Any as they are.
            guard let name = property as? String ?? (property as? NSString).map({ String($0) }) else {
                throw CocoaError.request("Invalid property (\(property)) passed to \(setter)")
            }
            return try column(name, entity, setter)
        }
    }

    private static func column(_ path: String, _ entity: NSEntityDescription, _ setter: String) throws -> Column {
        let expression = Expression(forKeyPath: path)
        switch entity.end(ofPath: path) {
        case .attribute(let attribute):
            return Column(name: path, expression: expression, type: attribute.attributeType, attribute: attribute)
        case .object: return Column(name: path, expression: expression, type: .objectIDAttributeType)
        case .toMany: throw CocoaError.request("Invalid to-many relationship in \(setter) (\(path))")
        case .none: throw CocoaError.request("Invalid keypath \(path) passed to \(setter)")
        }
    }

    private static func column(
        _ computed: NSExpressionDescription, _ expression: Expression, _ entity: NSEntityDescription, _ setter: String
    ) throws -> Column {
        let wanted = computed.expressionResultType
        if let path = expression.plainKeyPath, !path.contains("@") {
            var column = try column(path, entity, setter)
            if wanted != .undefinedAttributeType, wanted != column.type {
                (column.type, column.attribute) = (wanted, nil)
            }
            return Column(
                name: computed.name, expression: expression, type: column.type, attribute: column.attribute)
        }
        let derived = wanted == .undefinedAttributeType ? expression.resultType(entity) : wanted
        return Column(name: computed.name, expression: expression, type: derived)
    }
}

extension NSEntityDescription {
    /// What a key path along to-one relationships leads to; nil for what is not stored, or not there.
    enum PathEnd { case attribute(NSAttributeDescription), object, toMany }

    func end(ofPath path: String) -> PathEnd? {
        var steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
        var entity = self
        while let step = steps.popFirst() {
            if step == "self" || step == "SELF" { continue }
            if step == "objectID", steps.isEmpty { return .object }
            switch entity.property(step) {
            case let composite as NSCompositeAttributeDescription:
                guard !composite.isTransient, let element = composite.element(steps),
                    element.attributeType != .compositeAttributeType
                else { return nil }
                return .attribute(element)
            case let attribute as NSAttributeDescription:
                return steps.isEmpty && !attribute.isTransient ? .attribute(attribute) : nil
            case let relationship as NSRelationshipDescription:
                if relationship.isToMany { return .toMany }
                guard let destination = relationship.destinationEntity else { return nil }
                entity = destination
            default: return nil
            }
        }
        return .object
    }

    /// A property of the entity, or, as Apple's stores allow, of one that inherits from it.
    fileprivate func property(_ name: String) -> NSPropertyDescription? {
        propertiesByName[name] ?? subentities.lazy.compactMap { $0.property(name) }.first
    }
}
