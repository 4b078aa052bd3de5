import CoreData

/// Brings the records of one source into one entity.
final class EntityImport {
    private let entity: SQLEntity
    private let session: ImportSession
    private let reader: any RecordReader
    private let file: Int
    private var bindings: [ColumnBinding?] = []
    private let defaults: [SlotValue]
    private var row: [SlotValue]
    /// Mandatory slots: filled by the row, by the model's default, or an error.
    private let mandatory: [Int]
    /// Attributes for which "no value" means the model's default: those that must have one.
    private let keepsDefault: [Bool]

    init(_ entity: SQLEntity, _ session: ImportSession, _ reader: any RecordReader, file: Int) {
        self.entity = entity
        self.session = session
        self.reader = reader
        self.file = file
        let defaults = entity.layout.kinds.map { kind in
            guard case .attribute(let attribute) = kind else { return SlotValue.null }
            return SlotValue(defaultOf: attribute)
        }
        self.defaults = defaults
        row = defaults
        mandatory = entity.layout.kinds.indices.filter { Self.isMandatory(entity, $0) }
        keepsDefault = defaults.indices.map { !defaults[$0].isNull && !entity.layout.properties[$0].isOptional }
    }

    private static func isMandatory(_ entity: SQLEntity, _ slot: Int) -> Bool {
        let property = entity.layout.properties[slot]
        guard !property.isOptional, !property.isTransient else { return false }
        switch entity.layout.kinds[slot] {
        case .attribute(let attribute): return !(attribute is NSDerivedAttributeDescription)
        // The other end of a one-to-one relationship may fill it: checked when all rows are there.
        case .toOne(let relationship): return relationship.inverseRelationship?.isToMany ?? true
        case .toMany, .fetched: return false
        }
    }

    /// Checks the names of a header, before the first record and also where there is none.
    func checkHeader() throws {
        for column in reader.columns.indices {
            guard let position = reader.positionOfName(ofColumn: column) else { continue }
            _ = try binding(column, at: position)
        }
    }

    /// Writes the current record.
    func importRecord() throws {
        // Every row uses the same storage.
        var values = row
        row = []
        defer { row = values }
        for slot in values.indices { values[slot] = defaults[slot] }
        for index in 0..<reader.count {
            let column = reader.column(at: index)
            let binding = try self.binding(column, at: reader.position(ofFieldAt: index))
            do {
                try read(index, column, binding, into: &values)
            } catch let refusal as Refusal {
                throw refusal.error(at: reader.position(ofFieldAt: index))
            }
        }
        for slot in mandatory where values[slot].isNull { throw missing(slot) }
        try insert(values)
    }

    private func read(_ index: Int, _ column: Int, _ binding: ColumnBinding, into values: inout [SlotValue]) throws {
        let field = reader.value(at: index)
        switch binding.meaning {
        case .attribute(let slot, let converter):
            let value = try converter.value(field)
            if !value.isNull || !keepsDefault[slot] { values[slot] = value }
            if converter.losesDigits(of: field) { warnOfDigits(index, field, binding) }
        case .element(let slot, let path, let composite, let converter):
            let value = try converter.value(field)
            values[slot] = values[slot].setting(value, at: path[...], of: composite) ?? values[slot]
            if converter.losesDigits(of: field) { warnOfDigits(index, field, binding) }
        case .reference(let slot, let table):
            guard let key = ReferenceKey(try table.converter.value(field)) else { return }
            guard values[slot].isNull else {
                throw Refusal(
                    message:
                        "the relationship \(entity.name).\(entity.layout.properties[slot].name) has a value from"
                        + " another column already: '\(key)'", value: "\(key)")
            }
            let primaryKey = try table.primaryKey(
                key, takeKey: { session.writer.takeKey(table.entity) },
                place: { ReferenceTable.FieldPlace(origin: origin, column: column) })
            values[slot] = .reference(key: primaryKey, entity: Int32(table.entity.number))
        case .none(let refusal):
            guard case .null = field else { throw refusal }
        }
    }

    private func warnOfDigits(_ index: Int, _ field: FieldValue, _ binding: ColumnBinding) {
        let (place, text) = (reader.position(ofFieldAt: index), AttributeConverter.text(field))
        session.warn("\(place): '\(text)' has more digits than a store keeps (\(entity.name).\(binding.name))")
    }

    private var origin: RowOrigin { RowOrigin(file: file, mark: reader.recordMark) }

    private func insert(_ values: [SlotValue]) throws {
        do {
            try session.insert(entity, values, from: origin)
        } catch let error as SQLiteError where error.isConstraintViolation {
            throw try UniquenessCheck(session).error(entity, values, at: origin) ?? error as any Error
        } catch let refusal as Refusal {
            throw refusal.error(at: reader.recordPosition)
        }
    }

    @inline(__always)
    private func binding(_ column: Int, at position: @autoclosure () -> SourcePosition) throws -> ColumnBinding {
        if column < bindings.count, let known = bindings[column] { return known }
        return try bind(column, position())
    }

    private func bind(_ column: Int, _ position: SourcePosition) throws -> ColumnBinding {
        while bindings.count <= column { bindings.append(nil) }
        do {
            let binding = try ColumnBinding(
                reader.columns[column], of: entity, session, isHeader: reader.positionOfName(ofColumn: column) != nil)
            bindings[column] = binding
            return binding
        } catch let refusal as Refusal {
            throw refusal.error(at: position)
        }
    }

    private func missing(_ slot: Int) -> SourceError {
        let name = entity.layout.properties[slot].name
        guard let index = reader.indexOfField(name) else {
            return SourceError(
                position: reader.recordPosition,
                message: "\(entity.name).\(name) is mandatory, and this record has no value for it")
        }
        return SourceError(
            position: reader.position(ofFieldAt: index),
            message: "\(entity.name).\(name) is mandatory, and this value is empty")
    }
}
