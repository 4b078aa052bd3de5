import FoundationSupplement
import ManagedObjectModel

extension SQLSchema {
    /// The statements that make an empty store's tables, triggers and indexes, word for word as Apple's stores have
    /// them. The bookkeeping tables come last, as in Apple's stores.
    package func creationStatements() throws -> [String] {
        try creationStatements(forConfigurationName: nil)
    }

    /// Those of the statements that the entities of a configuration need.
    package func creationStatements(forConfigurationName configuration: String?) throws -> [String] {
        let kept = tables(forConfigurationName: configuration)
        return tableStatements(of: kept) + (try triggerStatements(of: kept)) + Self.bookkeeping
            + (try indexStatements(of: kept))
    }

    /// The tables that keep the entities of a configuration, and with them what is related by inheritance.
    private func tables(forConfigurationName configuration: String?) -> [SQLTable] {
        let members = (model.entities(forConfigurationName: configuration) ?? []).compactMap(entity)
        let kept = Set(members.map { ObjectIdentifier($0.table) })
        return tables.filter { kept.contains(ObjectIdentifier($0)) }
    }

    /// The tables alone, for stores that are filled before they are indexed.
    package func tableStatements() -> [String] { tableStatements(of: tables) }

    private func tableStatements(of tables: [SQLTable]) -> [String] {
        tables.flatMap { table in
            let owned = joinTables.filter { $0.owner.table === table }
            return [statement(table)] + owned.map(statement)
        }
    }

    package static let bookkeeping = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    private func statement(_ table: SQLTable) -> String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + table.columns.map { "\($0.name) \($0.type)" }
        return "CREATE TABLE \(table.name) ( \(columns.joined(separator: ", ")) )"
    }

    private func statement(_ table: SQLJoinTable) -> String {
        let columns = (table.columns + table.orderColumns).map { "\($0) INTEGER" }
        let key = "PRIMARY KEY (\(table.columns.joined(separator: ", ")))"
        return "CREATE TABLE \(table.name) ( \((columns + [key]).joined(separator: ", ")) )"
    }

    // MARK: Indexes

    package func indexStatements() throws -> [String] { try indexStatements(of: tables) }

    private func indexStatements(of tables: [SQLTable]) throws -> [String] {
        var statements: [String] = []
        for table in tables {
            let members = entities.filter { $0.table === table }
            statements += members.flatMap(keyIndexes)
            if let root = members.first, root.hasSubentities {
                statements.append("CREATE INDEX \(table.name)_Z_ENT_INDEX ON \(table.name) (Z_ENT)")
            }
            statements += try members.flatMap(declaredIndexes)
            statements += joinTables.filter { $0.owner.table === table }.map { join in
                let (first, second) = (join.columns[0], join.columns[1])
                return "CREATE INDEX \(join.name)_\(second)_INDEX ON \(join.name) (\(second), \(first))"
            }
        }
        return statements
    }

    private func keyIndexes(_ entity: SQLEntity) -> [String] {
        let own = entity.description.declaredProperties.sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
        var keys: [SQLColumn] = own.compactMap { property in
            guard let slot = entity.layout.slot(property.name), case .toOne(let key, _, _) = entity.storage[slot] else {
                return nil
            }
            return key
        }
        keys += keysOfToManyWithoutInverse(to: entity)
        return keys.map { "CREATE INDEX \(entity.table.name)_\($0.name)_INDEX ON \(entity.table.name) (\($0.name))" }
    }

    private func keysOfToManyWithoutInverse(to entity: SQLEntity) -> [SQLColumn] {
        entities.flatMap { source in
            source.layout.kinds.enumerated().compactMap { slot, kind in
                guard case .toMany(let relationship) = kind, relationship.entity === source.description,
                    relationship.inverseRelationship == nil,
                    case .toMany(let key, _, _, let destination) = source.storage[slot], destination === entity
                else { return nil }
                return key
            }
        }
    }

    private func declaredIndexes(_ entity: SQLEntity) throws -> [String] {
        let description = entity.description
        let table = entity.table.name
        var statements = description.uniquenessConstraintNames.compactMap { names -> String? in
            let columns = names.compactMap { column(of: $0, in: entity).map { "\($0) COLLATE BINARY ASC" } }
            guard columns.count == names.count, !names.isEmpty else { return nil }
            let name = "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))"
            return "CREATE UNIQUE INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))"
        }
        let declared = Set(description.indexes.map(\.name))
        for property in description.declaredProperties
        where property.isIndexedByAttribute && !property.isTransient && !declared.contains(property.name) {
            guard property is NSAttributeDescription, let column = column(of: property.name, in: entity) else {
                continue
            }
            statements.append(
                "CREATE INDEX Z_\(entity.name)_\(property.name) ON \(table) (\(column) COLLATE BINARY ASC)")
        }
        for index in description.indexes {
            statements.append(try statement(index, of: entity))
        }
        for tuple in description.compoundIndexNames {
            let columns = tuple.compactMap { column(of: $0, in: entity) }
            guard columns.count == tuple.count, !tuple.isEmpty else { continue }
            let name = "Z_\(entity.name)_\(tuple.joined(separator: "_"))"
            let list = columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
            statements.append("CREATE INDEX \(name) ON \(table) (\(list))")
        }
        return statements
    }

    private func statement(_ index: NSFetchIndexDescription, of entity: SQLEntity) throws -> String {
        try SQLSchema.requirePlain(index.name, "index of '\(entity.name)'")
        let elements = try index.elements.map { element in
            guard element.collationType == .binary else {
                throw CocoaError.unsupported("the R-tree index '\(index.name)' of '\(entity.name)'")
            }
            guard let name = indexColumn(element, in: entity) else {
                throw CocoaError.unsupported(
                    "the element '\(element.propertyName ?? "")' of the index '\(index.name)' of '\(entity.name)'")
            }
            return "\(name) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
        }
        var text =
            "CREATE INDEX Z_\(entity.name)_\(index.name) ON \(entity.table.name) (\(elements.joined(separator: ", ")))"
        if let predicate = index.partialIndexPredicate {
            text += " WHERE " + (try SQLGenerator.partialIndexCondition(predicate, entity: entity, schema: self))
        }
        return text
    }

    private func indexColumn(_ element: NSFetchIndexElementDescription, in entity: SQLEntity) -> String? {
        guard let expression = (element.property as? NSExpressionDescription)?.expression else {
            return element.propertyName.flatMap { column(of: $0, in: entity) }
        }
        switch expression.expressionType {
        case .evaluatedObject: return "Z_PK"
        case .keyPath where expression.keyPath == "entity": return "Z_ENT"
        case .keyPath: return column(of: expression.keyPath, in: entity)
        default: return nil
        }
    }

    /// The column of an attribute or of a to-one relationship's key.
    package func column(of property: String, in entity: SQLEntity) -> String? {
        guard let slot = entity.layout.slot(property) else { return nil }
        switch entity.storage[slot] {
        case .column(let column), .toOne(let column, _, _): return column.name
        case .none, .toMany, .join: return nil
        }
    }

    // MARK: Derived attributes

    /// The triggers that keep the count of a to-many relationship (`pages.@count`) in a column.
    package func triggerStatements() throws -> [String] { try triggerStatements(of: tables) }

    private func triggerStatements(of tables: [SQLTable]) throws -> [String] {
        try entities.filter { entity in tables.contains { $0 === entity.table } }.flatMap { entity in
            try entity.description.declaredProperties.compactMap { $0 as? NSDerivedAttributeDescription }
                .filter { !$0.isTransient }
                .flatMap { try triggers($0, of: entity) }
        }
    }

    private func triggers(_ attribute: NSDerivedAttributeDescription, of entity: SQLEntity) throws -> [String] {
        let text = attribute.derivationText ?? ""
        guard text.hasPrefix("count:("), text.hasSuffix(")"),
            let slot = entity.layout.slot(String(text.dropFirst("count:(".count).dropLast())),
            case .toMany(let keyColumn, _, _, let destination) = entity.storage[slot],
            let column = column(of: attribute.name, in: entity)
        else {
            throw CocoaError.unsupported("the derivation '\(text)' of '\(entity.name).\(attribute.name)'")
        }
        let (source, parameter, key) = (entity.table.name, destination.table.name, keyColumn.name)
        func report(_ function: String, _ row: String) -> String {
            "SELECT \(function)('\(source)', Z_ENT, Z_PK, '\(attribute.name)', \(column)) FROM \(source) WHERE Z_PK = \(row)"
        }
        func parameterTrigger(_ suffix: String, _ event: String, _ row: String, _ value: String) -> String {
            "CREATE TRIGGER Z_DA_\(parameter)_\(entity.name)_\(attribute.name)_PARAMETER_\(suffix) AFTER \(event)"
                + " ON \(parameter) FOR EACH ROW WHEN (\(row).\(key) NOT NULL) BEGIN"
                + " UPDATE \(source) SET \(column) = \(value) WHERE Z_PK = \(row).\(key);"
                + " \(report("NSCoreDataDATriggerUpdatedAffectedObjectValue", "\(row).\(key)")); END"
        }
        return [
            parameterTrigger("INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
            parameterTrigger("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1"),
            parameterTrigger("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1"),
            parameterTrigger("DELETE", "DELETE", "OLD", "\(column) - 1"),
            "CREATE TRIGGER Z_DA_\(source)_\(entity.name)_\(attribute.name)_SOURCE_INSERT AFTER INSERT ON \(source)"
                + " FOR EACH ROW BEGIN UPDATE \(source) SET \(column) ="
                + " (SELECT IFNULL(COUNT(\(key)), 0) FROM \(parameter) WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK;"
                + " \(report("NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "NEW.Z_PK")); END",
        ]
    }
}
