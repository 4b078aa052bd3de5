import FoundationSupplement
import ManagedObjectModel

extension SQLSchema {
    /// The indexes, but for R-trees, which are tables.
    package func indexStatements() throws -> [String] {
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
        let keys: [SQLColumn] = own.compactMap { property in
            guard let slot = entity.layout.slot(property.name), case .toOne(let key, _, _) = entity.storage[slot] else {
                return nil
            }
            return key
        }
        return (keys + keysOfToManyWithoutInverse(to: entity)).map { Self.columnIndex(entity.table, $0.name) }
    }

    private static func columnIndex(_ table: SQLTable, _ column: String) -> String {
        "CREATE INDEX \(table.name)_\(column)_INDEX ON \(table.name) (\(column))"
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
        // In older eras, constraints of the table.
        let unique = (era.namesIndexesByEntity ? description.uniquenessConstraintNames : []).compactMap { names in
            columns(names, entity).map { columns in
                let name = "Z_\(entity.name)_UNIQUE_\(Self.indexName(names))"
                return "CREATE UNIQUE INDEX \(name) ON \(entity.table.name) (\(Self.binary(columns)))"
            }
        }
        // Older frameworks know no fetch indexes.
        let fetchIndexes = era.namesIndexesByEntity ? description.indexes.filter { !SQLRTree.isOne($0) } : []
        return unique + attributeIndexes(entity) + (try fetchIndexes.map { try statement($0, of: entity) })
            + compoundIndexes(entity)
    }

    /// Those of attributes that are marked as indexed; a fetch index of the same name takes the place of one.
    private func attributeIndexes(_ entity: SQLEntity) -> [String] {
        let declared = Set(entity.description.indexes.map(\.name))
        return entity.description.declaredProperties.compactMap { property in
            guard property.isIndexedByAttribute, !property.isTransient, property is NSAttributeDescription,
                let column = column(of: property.name, in: entity)
            else { return nil }
            guard era.namesIndexesByEntity else { return Self.columnIndex(entity.table, column) }
            guard !declared.contains(property.name) else { return nil }
            return "CREATE INDEX Z_\(entity.name)_\(property.name) ON \(entity.table.name) (\(Self.binary([column])))"
        }
    }

    private func compoundIndexes(_ entity: SQLEntity) -> [String] {
        let table = entity.table.name
        return entity.description.compoundIndexNames.compactMap { names in
            columns(names, entity).map { columns in
                guard era.namesIndexesByEntity else {
                    return "CREATE INDEX \(table)_\(columns.joined(separator: "_")) ON \(table)"
                        + " (\(columns.joined(separator: ", ")))"
                }
                return "CREATE INDEX Z_\(entity.name)_\(Self.indexName(names)) ON \(table) (\(Self.binary(columns)))"
            }
        }
    }

    /// The columns of several properties; nil where one of them has none, or there are none.
    func columns(_ names: [String], _ entity: SQLEntity) -> [String]? {
        let columns = names.compactMap { column(of: $0, in: entity) }
        return columns.count == names.count && !names.isEmpty ? columns : nil
    }

    private static func binary(_ columns: [String]) -> String {
        columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
    }

    /// The part of an index's name that names its properties.
    private static func indexName(_ names: [String]) -> String {
        names.map { $0.replacingOccurrences(of: ".", with: "_") }.joined(separator: "_")
    }

    // MARK: Fetch indexes

    private func statement(_ index: NSFetchIndexDescription, of entity: SQLEntity) throws -> String {
        try SQLSchema.requirePlain(index.name, "index of '\(entity.name)'")
        let elements = try index.elements.map { element in
            "\(try indexColumn(element, index, entity)) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
        }
        var text =
            "CREATE INDEX Z_\(entity.name)_\(index.name) ON \(entity.table.name) (\(elements.joined(separator: ", ")))"
        if let predicate = index.partialIndexPredicate {
            text += " WHERE " + (try SQLGenerator.partialIndexCondition(predicate, entity: entity, schema: self))
        }
        return text
    }

    /// The column of an element of a fetch index.
    ///
    /// - Throws: an error for an element that no column keeps.
    func indexColumn(
        _ element: NSFetchIndexElementDescription, _ index: NSFetchIndexDescription, _ entity: SQLEntity
    ) throws -> String {
        let column: String? =
            switch (element.property as? NSExpressionDescription)?.expression {
            case nil: element.propertyName.flatMap { self.column(of: $0, in: entity) }
            case let expression? where expression.expressionType == .evaluatedObject: "Z_PK"
            case let expression? where expression.expressionType == .keyPath:
                expression.keyPath == "entity" ? "Z_ENT" : self.column(of: expression.keyPath, in: entity)
            default: nil
            }
        guard let column else {
            throw CocoaError.unsupported(
                "the element '\(element.propertyName ?? "")' of the index '\(index.name)' of '\(entity.name)'")
        }
        return column
    }
}
