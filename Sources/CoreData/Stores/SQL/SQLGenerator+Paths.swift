import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// How far a key path has come: an object that is known by its key, and by its row once that is asked for.
    private struct Place {
        var entity: SQLEntity
        /// The key's SQL.
        var key: String
        /// The table's alias; nil as long as nothing but the key is needed.
        var alias: String?
        /// The to-one relationships so far.
        var walked = ""
    }

    /// Follows a key path from a table. Nil when there is no such property.
    mutating func path(_ text: String, _ scope: Scope, isSort: Bool = false) throws -> Operand? {
        var place = Place(entity: scope.entity, key: scope.key, alias: scope.alias)
        var steps = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
        while let step = steps.popFirst() {
            switch step {
            case "self", "SELF": continue
            case "objectID" where steps.isEmpty: continue
            case "entity":
                let number = try prefix(&place, scope) + "Z_ENT"
                if steps.isEmpty { return .entity(number: number) }
                return steps == ["name"] ? entityName(number, place.entity) : nil
            default: break
            }
            let found = slots(step, place.entity)
            guard let slot = found.first else { return nil }
            switch slot.entity.storage[slot.index] {
            case .column: return try steps.isEmpty ? column(found, prefix(&place, scope), step) : nil
            case .composite:
                guard let element = slot.entity.storage[slot.index].element(steps),
                    case .column(let column) = element.storage
                else { return nil }
                return .value(sql: try prefix(&place, scope) + column.name, type: element.attribute.attributeType)
            case .toOne(let key, _, _):
                guard case .toOne(let relationship) = slot.entity.layout.kinds[slot.index],
                    let destination = relationship.destinationEntity.flatMap(schema.entity)
                else { return nil }
                let column = try prefix(&place, scope) + key.name
                place = Place(
                    entity: destination, key: column, alias: nil, walked: "\(place.walked).\(step)")
            case .toMany, .join:
                if isSort { throw CocoaError.request("to-many key not allowed here (\(text))") }
                return .toMany(
                    Collection(
                        owner: place.key, mayLackOwner: !place.walked.isEmpty,
                        storage: slot.entity.storage[slot.index],
                        rest: steps.isEmpty ? nil : steps.joined(separator: ".")))
            case .none:
                throw CocoaError.request(
                    "You cannot fetch using a predicate based on transient properties: '\(step)' of"
                        + " \(place.entity.name) is not stored (\(text))")
            }
        }
        return .object(key: place.key, destination: place.entity)
    }

    func missing(_ path: String, _ entity: SQLEntity) -> CocoaError {
        CocoaError.request("keypath \(path) not found in entity <NSSQLEntity \(entity.name) id=\(entity.number)>")
    }

    /// What stands before a column of the place's row.
    private mutating func prefix(_ place: inout Place, _ scope: Scope) throws -> String {
        if let alias = place.alias {
            if alias == scope.alias { scope.usesTable = true }
            return alias.isEmpty ? "" : alias + "."
        }
        let alias = try join(place.walked, place.key, place.entity, scope)
        place.alias = alias
        return alias + "."
    }

    /// A property of an entity, or, as Apple's stores allow, of those that inherit from it: several may have the name.
    private func slots(_ name: String, _ entity: SQLEntity) -> [(entity: SQLEntity, index: Int)] {
        if let index = entity.layout.slot(name) { return [(entity, index)] }
        return entity.numbers.compactMap { number in
            let candidate = schema.entities[number - 1]
            return candidate.layout.slot(name).map { (entity: candidate, index: $0) }
        }
    }

    /// The column of an attribute. Sub-entities that don't share it have a column each, of which one is not NULL.
    private func column(
        _ slots: [(entity: SQLEntity, index: Int)], _ prefix: String, _ name: String
    ) throws -> Operand? {
        var names: [String] = []
        var types: [NSAttributeType?] = []
        for slot in slots {
            guard case .attribute(let attribute) = slot.entity.layout.kinds[slot.index],
                case .column(let column) = slot.entity.storage[slot.index]
            else { continue }
            if !names.contains(column.name) { names.append(column.name) }
            // A mark stands before the values of attributes that may be stored outside: not what a program compares.
            let isOpaque = attribute.allowsExternalBinaryDataStorage
            types.append(isOpaque ? .transformableAttributeType : attribute.attributeType)
        }
        guard let first = names.first, let type = types.first else { return nil }
        guard names.count > 1 else { return .value(sql: prefix + first, type: type) }
        guard Set(types.map { $0.flatMap(ValueFamily.init) }).count == 1 else {
            throw CocoaError.request("'\(name)' has different types in several sub-entities")
        }
        return .value(sql: "COALESCE(\(names.map { prefix + $0 }.joined(separator: ", ")))", type: type)
    }

    private mutating func entityName(_ number: String, _ entity: SQLEntity) -> Operand {
        let cases = entity.numbers.map { "WHEN \($0) THEN \(bind(.string(schema.entities[$0 - 1].name)))" }
        return .value(sql: "CASE \(number) \(cases.joined(separator: " ")) END", type: .stringAttributeType)
    }

    private mutating func join(
        _ path: String, _ key: String, _ destination: SQLEntity, _ scope: Scope
    ) throws -> String {
        if let known = scope.joins.first(where: { $0.path == path }) { return known.alias }
        // SQLite joins 64 tables at the most.
        guard scope.joins.count < 60 else { throw CocoaError.request("more than 60 relationships in one request") }
        let alias = newAlias()
        // LEFT: a row without the object must stay for OR, NOT and `== nil`. SQLite itself turns it into an inner
        // join where the condition allows.
        let sql = "LEFT OUTER JOIN \(destination.table.name) \(alias) ON \(key) = \(alias).Z_PK"
        scope.joins.append((path, alias, destination, sql))
        return alias
    }
}
