import FoundationSupplement

extension ModelArchiveWriter {
    /// The reference to a fetch request; to nothing for nil.
    mutating func fetchRequest(_ request: NSFetchRequest<any NSFetchRequestResult>?) -> PropertyListValue {
        guard let request else { return KeyedArchiveBuilder.null }
        let named = request.entityName
        let entity = request.entity ?? model.entities.first { $0.name == named && named != nil }
        var fields: [String: PropertyListValue] = [
            "NSEntity": reference(to: entity), "NSPredicate": predicate(request.predicate),
            "NSHavingPredicate": predicate(request.havingPredicate),
            "NSFetchLimit": .integer(Int64(request.fetchLimit)), "NSFetchOffset": .integer(Int64(request.fetchOffset)),
            "NSBatchSize": .integer(Int64(request.fetchBatchSize)),
            "NSResultType": .integer(Int64(clamping: request.resultType.rawValue)),
            "NSFetchRequestFlags": .integer(Int64(request.archivedFlags.rawValue)),
            "NSHasFetchRequestFlags": .boolean(true),
            "NSSortDescriptors": list(request.sortDescriptors) { $0.sortDescriptor($1) },
            "NSValuesToFetch": list(request.propertiesToFetch) { $0.fetchedValue($1) },
            "NSValuesToGroupBy": list(request.propertiesToGroupBy) { $0.fetchedValue($1) },
            "NSRelationshipKeyPathsForPrefetching": list(request.relationshipKeyPathsForPrefetching) {
                $0.builder.string($1)
            },
        ]
        // Newer than any compiled model that was found with a request.
        if form == .cache { fields["NSAllocationType"] = .integer(0) }
        return builder.add("NSFetchRequest", fields)
    }

    private mutating func list<Element>(
        _ elements: [Element]?, _ write: (inout ModelArchiveWriter, Element) -> PropertyListValue
    ) -> PropertyListValue {
        guard let elements else { return KeyedArchiveBuilder.null }
        var references: [PropertyListValue] = []
        for element in elements { references.append(write(&self, element)) }
        return builder.array("NSArray", references)
    }

    /// A property by its name; an expression as it is.
    private mutating func fetchedValue(_ value: Any) -> PropertyListValue {
        switch value {
        case let description as NSExpressionDescription:
            let (className, fields) = describe(description, in: nil)
            return builder.add(className, fields)
        case let property as NSPropertyDescription: return builder.string(property.name)
        case let name as String: return builder.string(name)
        default: return KeyedArchiveBuilder.null
        }
    }
}
