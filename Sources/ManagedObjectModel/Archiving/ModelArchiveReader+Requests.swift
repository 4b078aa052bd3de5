import FoundationSupplement

extension NSFetchRequest {
    /// A request's switches as archives keep them (`NSFetchRequestFlags`). Every archive found has 30, which is
    /// Apple's defaults; which of 8 and 16 is which is a guess.
    package struct ArchivedFlags: OptionSet {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        static var distinctResults: ArchivedFlags { ArchivedFlags(rawValue: 1) }
        static var subentities: ArchivedFlags { ArchivedFlags(rawValue: 2) }
        static var propertyValues: ArchivedFlags { ArchivedFlags(rawValue: 4) }
        static var objectsAsFaults: ArchivedFlags { ArchivedFlags(rawValue: 8) }
        static var pendingChanges: ArchivedFlags { ArchivedFlags(rawValue: 16) }
        static var refreshesRefetched: ArchivedFlags { ArchivedFlags(rawValue: 32) }
    }

    package var archivedFlags: ArchivedFlags {
        get {
            var flags: ArchivedFlags = []
            if returnsDistinctResults { flags.insert(.distinctResults) }
            if includesSubentities { flags.insert(.subentities) }
            if includesPropertyValues { flags.insert(.propertyValues) }
            if returnsObjectsAsFaults { flags.insert(.objectsAsFaults) }
            if includesPendingChanges { flags.insert(.pendingChanges) }
            if shouldRefreshRefetchedObjects { flags.insert(.refreshesRefetched) }
            return flags
        }
        set {
            returnsDistinctResults = newValue.contains(.distinctResults)
            includesSubentities = newValue.contains(.subentities)
            includesPropertyValues = newValue.contains(.propertyValues)
            returnsObjectsAsFaults = newValue.contains(.objectsAsFaults)
            includesPendingChanges = newValue.contains(.pendingChanges)
            shouldRefreshRefetchedObjects = newValue.contains(.refreshesRefetched)
        }
    }
}

extension ModelArchiveReader {
    /// A fetch request; nil for none.
    mutating func fetchRequest(_ reference: PropertyListValue?) throws -> NSFetchRequest<any NSFetchRequestResult>? {
        let what = "a fetch request"
        guard let object = try archive.object(reference, ["NSFetchRequest"], what) else { return nil }
        try spend(what)
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = try entity(object["NSEntity"])
        request.predicate = try predicate(object["NSPredicate"], what)
        request.havingPredicate = try predicate(object["NSHavingPredicate"], what)
        request.fetchLimit = try archive.integer(object["NSFetchLimit"], "the limit of \(what)")
        request.fetchOffset = try archive.integer(object["NSFetchOffset"], "the offset of \(what)")
        request.fetchBatchSize = try archive.integer(object["NSBatchSize"], "the batch size of \(what)")
        let type = try archive.integer(object["NSResultType"], "the result type of \(what)")
        request.resultType = NSFetchRequestResultType(rawValue: UInt(exactly: type) ?? 0)
        if object["NSFetchRequestFlags"] != nil {
            request.archivedFlags = .init(
                rawValue: try archive.integer(object["NSFetchRequestFlags"], "the flags of \(what)"))
        }
        request.sortDescriptors = try list(object["NSSortDescriptors"], what) { try $0.sortDescriptor($1, what) }
        request.propertiesToFetch = try list(object["NSValuesToFetch"], what) { try $0.fetchedValue($1, what) }
        request.propertiesToGroupBy = try list(object["NSValuesToGroupBy"], what) { try $0.fetchedValue($1, what) }
        request.relationshipKeyPathsForPrefetching = try list(
            object["NSRelationshipKeyPathsForPrefetching"], what
        ) { try $0.archive.string($1, what) }
        return request
    }

    /// An array's elements, or nil for no array.
    private mutating func list<Element>(
        _ reference: PropertyListValue?, _ what: String,
        _ read: (inout ModelArchiveReader, PropertyListValue) throws -> Element?
    ) throws -> [Element]? {
        guard try archive.object(reference) != nil else { return nil }
        var result: [Element] = []
        for element in try archive.elements(reference, what) {
            try spend(what)
            if let value = try read(&self, element) { result.append(value) }
        }
        return result
    }

    /// A property's name, or an expression.
    private mutating func fetchedValue(_ reference: PropertyListValue, _ what: String) throws -> Any? {
        if try archive.resolve(reference)?.string != nil { return try archive.string(reference, what) }
        guard let object = try archive.object(reference) else { return nil }
        guard object.className == "NSExpressionDescription" else {
            return try archive.requiredString(object["NSPropertyName"], "a property of \(what)")
        }
        let description = try expressionDescription(object, what)
        description.name = try archive.requiredString(object["NSPropertyName"], "a property of \(what)")
        return description
    }

    // MARK: Constraints and indexes

    /// Sets what refers to the properties of the entity and of those it inherits from.
    mutating func addDetails(_ record: Record) throws {
        let (entity, object, what) = (record.entity, record.object, "entity '\(record.name)'")
        entity.uniquenessConstraints = try tuples(object["NSUniqueTuples"], "a uniqueness constraint of \(what)")
        let indexes = try archive.elements(object["NSFetchIndexDescriptions"], "the indexes of \(what)")
            .compactMap { try index($0, of: entity, what) }
        // The older keys repeat what indexes say, for older systems: what is left is declared the old way.
        entity.indexes = indexes.filter { !ArchivedIndexes.isImplied($0, in: entity) }
        let implied = ArchivedIndexes.compounds(of: indexes)
        entity.compoundIndexNames = try tuples(object["NSCompoundIndexes"], "a compound index of \(what)")
            .filter { !implied.contains($0) }
    }

    /// Arrays of names of properties.
    private func tuples(_ reference: PropertyListValue?, _ what: String) throws -> [[String]] {
        try archive.elements(reference, what).map { tuple in
            try archive.elements(tuple, what).compactMap { element in
                if let object = try? archive.object(element), let name = object["NSPropertyName"] {
                    return try archive.string(name, what)
                }
                return try archive.string(element, what)
            }
        }
    }

    private mutating func index(
        _ reference: PropertyListValue, of entity: NSEntityDescription, _ what: String
    ) throws -> NSFetchIndexDescription? {
        guard let object = try archive.object(reference, ["NSFetchIndexDescription"], "an index of \(what)") else {
            return nil
        }
        let name = try archive.requiredString(object["NSIndexName"], "the name of an index of \(what)")
        let what = "index '\(name)' of \(what)"
        let elements = try archive.elements(object["NSIndexElements"], what).compactMap { reference in
            try indexElement(reference, of: entity, what)
        }
        let index = NSFetchIndexDescription(name: name, elements: elements)
        index.partialIndexPredicate = try predicate(object["NSPartialIndexPredicate"], what)
        return index
    }

    private mutating func indexElement(
        _ reference: PropertyListValue, of entity: NSEntityDescription, _ what: String
    ) throws -> NSFetchIndexElementDescription? {
        guard let object = try archive.object(reference, ["NSFetchIndexElementDescription"], what) else { return nil }
        let name = try archive.requiredString(object["NSPropertyName"], "a property of \(what)")
        let property: NSPropertyDescription
        if let expression = try archive.object(
            object["NSIndexedProperty"], ["NSExpressionDescription"], "an element of \(what)")
        {
            property = try self.property(expression, of: entity.name ?? "")
        } else if let known = entity.propertiesByName[name] {
            property = known
        } else {
            throw failure("has \(what), whose property '\(name)' doesn't exist")
        }
        let type = try archive.integer(object["NSFetchIndexElementType"], "the kind of \(what)")
        guard let known = UInt(exactly: type).flatMap(NSFetchIndexElementType.init) else {
            throw failure("has \(what) of the unknown kind \(type)")
        }
        let element = NSFetchIndexElementDescription(property: property, collationType: known)
        element.isAscending = try archive.flag(object["NSAscending"])
        return element
    }
}
