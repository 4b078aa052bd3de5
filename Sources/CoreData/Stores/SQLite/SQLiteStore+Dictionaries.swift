import CSQLite
import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    func findDictionaries(_ wanted: DictionaryFetch, _ entity: SQLEntity) throws -> [NSDictionary] {
        let (query, columns) = try SQLGenerator.dictionaries(wanted, entity, schema)
        let template = DictionaryTemplate(wanted.columns.map(\.name))
        var found: [NSDictionary] = []
        return try SQLLog.timing {
            try reading { connection in
                let statement = try connection.bound(query)
                defer { statement.reset() }
                let values = connection.rowReader(entity, SQLResultColumns(names: []), schema)
                let readers = columns.map { DictionaryColumnReader($0, values, self) }
                var row = [AnyObject?](repeating: nil, count: readers.count)
                while try statement.step() {
                    for (index, reader) in readers.enumerated() { row[index] = try reader.value(statement) }
                    found.append(template.dictionary(row))
                }
            }
            return found
        } rows: {
            $0.count
        }
    }
}

/// Reads one entry of a dictionary from a statement's row.
private final class DictionaryColumnReader {
    private let column: SQLDictionaryColumn
    private let values: SQLRowReader
    private let step: SQLRowReader.Step?
    private let type: NSAttributeType
    private let store: SQLiteStore
    private let space: ObjectIDSpace?

    init(_ column: SQLDictionaryColumn, _ values: SQLRowReader, _ store: SQLiteStore) {
        self.column = column
        self.values = values
        self.store = store
        type = column.wanted.type
        space = column.destination.map { store.space(of: $0.description) }
        guard column.destination == nil, type != .undefinedAttributeType, type != .objectIDAttributeType else {
            step = nil
            return
        }
        let kind = column.wanted.attribute.map { SQLRowReader.kind($0) } ?? SQLRowReader.kind(type)
        step = SQLRowReader.Step(column: column.column, kind: kind)
    }

    func value(_ statement: SQLiteStatement) throws -> AnyObject? {
        guard let step else { return rareValue(statement) }
        let value = try values.value(statement, step)
        if case .data = value, let attribute = column.wanted.attribute {
            return value.foundationValue(of: attribute).map { $0 as AnyObject }
        }
        return value.bridged(type)
    }

    private func rareValue(_ statement: SQLiteStatement) -> AnyObject? {
        guard !statement.isNull(column.column) else { return nil }
        guard let destination = column.destination, let space else { return plainValue(statement) }
        let number = column.number.flatMap { store.schema.entity(number: statement.int($0)) }
        let layout = (number ?? destination).layout
        return NSManagedObjectID(layout, primaryKey: statement.int(column.column), space: space)
    }

    /// A value of which nobody has said the type.
    private func plainValue(_ statement: SQLiteStatement) -> AnyObject? {
        switch statement.type(column.column) {
        case SQLITE_INTEGER: SlotValue.integer(statement.int(column.column)).bridged(.integer64AttributeType)
        case SQLITE_FLOAT: SlotValue.real(statement.double(column.column)).bridged(.doubleAttributeType)
        case SQLITE_TEXT: NSString(string: statement.string(column.column))
        default: NSData(data: statement.data(column.column))
        }
    }
}
