import CoreData

/// Brings the records of one source into one entity.
final class EntityImport {
    private let entity: SQLEntity
    private let session: ImportSession
    private let reader: any RecordReader
    private let file: Int
    private var bindings: [ColumnBinding?] = []
    private let defaults: [SlotValue]
    /// Mandatory slots: filled by the row, by the model's default, or an error.
    private let mandatory: [Int]

    init(_ entity: SQLEntity, _ session: ImportSession, _ reader: any RecordReader) {
        self.entity = entity
        self.session = session
        self.reader = reader
        let position = reader.recordPosition
        file = session.number(of: position.file, hasLines: position.line != nil)
        defaults = entity.layout.kinds.map { kind in
            guard case .attribute(let attribute) = kind else { return .null }
            return (try? SlotValue(attribute.defaultValue, for: attribute.attributeType)) ?? .null
        }
        mandatory = entity.layout.kinds.indices.filter { slot in
            let property = entity.layout.properties[slot]
            guard !property.isOptional, !property.isTransient else { return false }
            switch entity.layout.kinds[slot] {
            case .attribute(let attribute): return !(attribute is NSDerivedAttributeDescription)
            case .toOne: return true
            case .toMany, .fetched: return false
            }
        }
    }

    /// Checks the names of a header, before the first record and also where there is none.
    func checkHeader() throws {
        for column in reader.columns.indices where reader.positionOfName(ofColumn: column) != nil {
            _ = try binding(column, at: 0)
        }
    }

    /// Writes the current record.
    func importRecord() throws {
        var values = defaults
        for index in 0..<reader.count {
            let column = reader.column(at: index)
            let binding = try self.binding(column, at: index)
            switch binding.meaning {
            case .attribute(let slot, let converter):
                let value = try convert(index, converter)
                if !value.isNull || defaults[slot].isNull || entity.layout.properties[slot].isOptional { values[slot] = value }
                if case .decimal(let decimal) = value { warnOfPrecision(decimal, index, binding) }
            case .reference(let slot, let table):
                values[slot] = try reference(index, table)
            }
        }
        for slot in mandatory where values[slot].isNull { throw missing(slot) }
        try insert(values)
    }

    private func insert(_ values: [SlotValue]) throws {
        let line = reader.recordPosition.line ?? reader.recordPosition.record ?? 0
        do {
            try session.insert(entity, values, file: file, line: line)
        } catch let error as SQLiteError where error.isConstraintViolation {
            throw try session.duplicate(entity, values, at: reader.recordPosition) ?? error as any Error
        }
    }

    private func binding(_ column: Int, at index: Int) throws -> ColumnBinding {
        while bindings.count <= column { bindings.append(nil) }
        if let known = bindings[column] { return known }
        let name = reader.columns[column]
        let made = try ColumnBinding.bind(name, to: entity, session, at: reader.positionOfName(ofColumn: column) ?? reader.position(ofFieldAt: index))
        bindings[column] = made
        return made
    }

    private func convert(_ index: Int, _ converter: AttributeConverter) throws -> SlotValue {
        do {
            return try converter.value(reader.value(at: index))
        } catch let refusal as AttributeConverter.Refusal {
            throw SourceError(
                position: reader.position(ofFieldAt: index), message: refusal.message, value: refusal.value)
        }
    }

    private func reference(_ index: Int, _ table: ReferenceTable) throws -> SlotValue {
        let value = try convert(index, table.converter)
        guard !value.isNull else { return .null }
        let key = try table.primaryKey(
            value, promise: { session.promiseKey(table.entity) }, at: { reader.position(ofFieldAt: index) })
        return key.map { .reference(key: $0, entity: Int32(table.entity.number)) } ?? .null
    }

    private func missing(_ slot: Int) -> SourceError {
        let name = entity.layout.properties[slot].name
        for index in 0..<reader.count {
            let column = reader.columns[reader.column(at: index)]
            if column == name || column.hasPrefix(name + ".") {
                return SourceError(
                    position: reader.position(ofFieldAt: index), message: "\(entity.name).\(name) is mandatory, and this value is empty")
            }
        }
        return SourceError(
            position: reader.recordPosition, message: "\(entity.name).\(name) is mandatory, and this record has no value for it")
    }

    /// Stores keep decimals as doubles, which hold 15 digits.
    private func warnOfPrecision(_ decimal: Decimal, _ index: Int, _ binding: ColumnBinding) {
        let digits = "\(decimal)".filter(\.isNumber).drop { $0 == "0" }
        guard digits.count > 15 else { return }
        session.warn(
            "\(reader.position(ofFieldAt: index)): '\(decimal)' has more digits than a store keeps (\(entity.name).\(binding.name))")
    }
}
