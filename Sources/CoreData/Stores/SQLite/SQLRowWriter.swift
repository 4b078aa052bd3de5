import FoundationSupplement
import ManagedObjectModel

/// Writes slots into the columns of one entity. Saving and bulk import share it.
package final class SQLRowWriter {
    package let entity: SQLEntity
    private let connection: SQLiteConnection
    private let externalData: ExternalDataChanges?
    /// The attributes whose large values have files of their own, with their columns.
    private let externalColumns: [(slot: Int, name: String)]
    private let insertStatement: SQLiteStatement
    private let steps: [Step]
    private var updates: [[Int]: (steps: [Step], text: String)] = [:]

    private struct Step {
        let slot: Int
        let isExternal: Bool
        /// Whether a to-one relationship has a column for the entity's number.
        let hasNumber: Bool
        /// Where the elements of a composite attribute are.
        var composite: SQLStorage?
    }

    /// - Parameter externalData: where files of large values go; nil keeps them in the rows.
    init(_ entity: SQLEntity, _ connection: SQLiteConnection, _ externalData: ExternalDataChanges?) throws {
        self.entity = entity
        self.connection = connection
        self.externalData = externalData
        var externalColumns: [(slot: Int, name: String)] = []
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        var steps: [Step] = []
        for (slot, storage) in entity.storage.enumerated() {
            switch storage {
            case .column(let column):
                guard case .attribute(let attribute) = entity.layout.kinds[slot] else { continue }
                let isDerived = attribute is NSDerivedAttributeDescription
                if isDerived { continue }  // the store's triggers fill it
                names.append(column.name)
                let isExternal = attribute.allowsExternalBinaryDataStorage
                if isExternal { externalColumns.append((slot, column.name)) }
                steps.append(Step(slot: slot, isExternal: isExternal, hasNumber: false))
            case .composite:
                let columns = storage.columns.map(\.name)
                names += columns
                steps.append(Step(slot: slot, isExternal: false, hasNumber: false, composite: storage))
            case .toOne(let key, let number, _):
                names += [key.name] + (number.map { [$0.name] } ?? [])
                steps.append(Step(slot: slot, isExternal: false, hasNumber: number != nil))
            case .none, .toMany, .join: break
            }
        }
        self.steps = steps
        self.externalColumns = externalColumns
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        insertStatement = try connection.statement(
            "INSERT INTO \(entity.table.name) (\(names.joined(separator: ", "))) VALUES (\(marks))")
    }

    /// Inserts a row with version 1. `key` gives the primary key and number of an object at the end of a to-one
    /// relationship.
    package func insert(
        primaryKey: Int64, _ values: [SlotValue], key: (SlotValue) throws -> (Int64, Int)?
    ) throws {
        let statement = insertStatement
        statement.bind(1, primaryKey)
        statement.bind(2, Int64(entity.number))
        statement.bind(3, Int64(1))
        var position: Int32 = 4
        for step in steps {
            if let composite = step.composite {
                try Self.bind(values[step.slot], composite, statement, &position)
                continue
            }
            try Self.bind(values[step.slot], step.isExternal, step.hasNumber, statement, &position, key)
        }
        try statement.run()
    }

    /// Updates some slots of a row that still has the given version; false when it has another, or is gone.
    package func update(
        primaryKey: Int64, version: Int64, slots: [Int], _ values: [SlotValue], key: (SlotValue) throws -> (Int64, Int)?
    ) throws -> Bool {
        let (steps, text) = update(of: slots)
        let statement = try connection.statement(text)
        statement.bind(1, version + 1)
        var position: Int32 = 2
        for step in steps {
            if let composite = step.composite {
                try Self.bind(values[step.slot], composite, statement, &position)
                continue
            }
            try Self.bind(values[step.slot], step.isExternal, step.hasNumber, statement, &position, key)
        }
        statement.bind(position, primaryKey)
        statement.bind(position + 1, version)
        try statement.run()
        return connection.changes == 1
    }

    /// The statement for a set of slots; programs change the same ones of many objects.
    private func update(of slots: [Int]) -> (steps: [Step], text: String) {
        if let known = updates[slots] { return known }
        let changed = Set(slots)
        let steps = self.steps.filter { changed.contains($0.slot) }
        let names =
            ["Z_OPT"]
            + steps.flatMap { entity.storage[$0.slot].columns.map(\.name) }
        let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
        let update = (steps, "UPDATE \(entity.table.name) SET \(assignments) WHERE Z_PK = ? AND Z_OPT = ?")
        if updates.count >= 64 { updates.removeAll() }
        updates[slots] = update
        return update
    }

    /// Binds the elements of a composite attribute, of which all are null where it is.
    private static func bind(
        _ value: SlotValue, _ storage: SQLStorage, _ statement: SQLiteStatement, _ position: inout Int32
    ) throws {
        switch storage {
        case .composite(let elements):
            var values = elements.map { _ in SlotValue.null }
            if case .composite(let known) = value { values = known }
            for (element, value) in zip(elements, values) {
                try bind(value, element.storage, statement, &position)
            }
        case .column:
            try statement.bindSlot(position, value)
            position += 1
        case .none, .toOne, .toMany, .join: break
        }
    }

    private static func bind(
        _ value: SlotValue, _ isExternal: Bool, _ hasNumber: Bool, _ statement: SQLiteStatement,
        _ position: inout Int32, _ key: (SlotValue) throws -> (Int64, Int)?
    ) throws {
        defer { position += hasNumber ? 2 : 1 }
        switch value {
        case .object, .reference:
            guard let (primaryKey, number) = try key(value) else {
                statement.bindNull(position)
                if hasNumber { statement.bindNull(position + 1) }
                return
            }
            statement.bind(position, primaryKey)
            if hasNumber { statement.bind(position + 1, Int64(number)) }
        case .data(let data) where isExternal: statement.bind(position, Data([ExternalData.inlineMark]) + data)
        case .transformed(let object) where isExternal:
            statement.bind(position, Data([ExternalData.inlineMark]) + (try Transformation.data(object)))
        case .external(let value): statement.bind(position, ExternalData.reference(value))
        default:
            try statement.bindSlot(position, value)
            if hasNumber { statement.bindNull(position + 1) }
        }
    }
}

// MARK: Large values

extension SQLRowWriter {
    /// The values as the row is to have them: what is too large for it, or is in a file of another row, goes to a file
    /// now.
    ///
    /// - Parameter slots: the slots that are written; nil for all.
    func externalized(_ values: [SlotValue], slots: [Int]? = nil) throws -> [SlotValue] {
        guard !externalColumns.isEmpty else { return values }
        var values = values
        for (slot, _) in externalColumns where slots?.contains(slot) ?? true {
            let data: Data
            switch values[slot] {
            case .data(let given): data = given
            case .transformed(let object): data = try Transformation.data(object)
            case .external(let value): data = try value.data()
            default: continue
            }
            guard let externalData, data.count > ExternalData.limit else {
                if case .external = values[slot] { values[slot] = .data(data) }
                continue
            }
            values[slot] = .external(try externalData.write(data))
        }
        return values
    }

    /// Lets go of the files that a row refers to, before it is deleted or gets other values in some slots.
    func retireFiles(primaryKey: Int64, slots: [Int]? = nil) throws {
        let columns = externalColumns.filter { slots?.contains($0.slot) ?? true }
        guard let externalData, !columns.isEmpty else { return }
        let list = columns.map { "substr(\($0.name), 1, 38)" }.joined(separator: ", ")
        let statement = try connection.statement("SELECT \(list) FROM \(entity.table.name) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(1, primaryKey)
        guard try statement.step() else { return }
        for column in columns.indices {
            if let name = ExternalData.name(statement.data(Int32(column))) { externalData.retire(name) }
        }
    }
}

extension SQLiteStatement {
    /// Binds a value as stores keep it.
    package func bindSlot(_ position: Int32, _ value: SlotValue) throws {
        switch value {
        case .null, .composite, .toMany, .fetched: bindNull(position)
        case .integer(let number): bind(position, number)
        case .real(let number), .date(let number): bind(position, number)
        case .string(let text): bind(position, text)
        case .data(let data): bind(position, data)
        case .external(let value): bind(position, try value.data())
        case .uuid(let uuid): bind(position, uuid)
        case .uri(let url): bind(position, url.absoluteString)
        case .decimal(let decimal): bind(position, decimal.nearestDouble)
        case .transformed(let object): bind(position, try Transformation.data(object))
        case .reference(let key, _): bind(position, key)
        case .object(let object): bind(position, object.objectID.primaryKey)
        }
    }
}
