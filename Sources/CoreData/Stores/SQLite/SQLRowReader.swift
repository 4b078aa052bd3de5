import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// Turns a statement's rows into slots. Made once per statement: which column goes to which slot, and how, is decided
/// before the first row.
struct SQLRowReader {
    private let schema: SQLSchema
    private let columns: SQLResultColumns
    private var plans: [Int: Plan] = [:]
    private let entity: SQLEntity
    /// The only plan, for an entity without sub-entities.
    private let single: Plan?

    private struct Plan {
        let entity: SQLEntity
        /// One per slot.
        var steps: [Step] = []
        var composites: [(slot: Int, elements: [Element])] = []
    }

    /// How an element of a composite attribute is read.
    private enum Element {
        case value(Step)
        case composite([Element])
    }

    struct Step {
        /// Negative for a slot that no column fills.
        var column: Int32 = -1
        var kind = Kind.integer
        /// For a to-one relationship, the column with the entity's number.
        var number: Int32 = -1
        var destination: Int32 = 0

        enum Kind { case integer, real, date, decimal, string, uri, uuid, data, externalData, reference }
    }

    private let externalData: ExternalData

    init(_ entity: SQLEntity, _ columns: SQLResultColumns, _ schema: SQLSchema, _ externalData: ExternalData) {
        self.externalData = externalData
        self.schema = schema
        self.columns = columns
        self.entity = entity
        for number in entity.numbers {
            plans[number] = Self.plan(schema.entities[number - 1], columns, schema)
        }
        single = entity.numbers.count == 1 ? plans[entity.number] : nil
    }

    private static func plan(_ entity: SQLEntity, _ columns: SQLResultColumns, _ schema: SQLSchema) -> Plan {
        let positions = Dictionary(
            uniqueKeysWithValues: columns.names.enumerated().map { ($1, Int32($0) + SQLResultColumns.firstValue) })
        var plan = Plan(entity: entity)
        for (slot, storage) in entity.storage.enumerated() {
            plan.steps.append(Step())
            switch storage {
            case .column(let column):
                guard let position = positions[column.name], case .attribute(let attribute) = entity.layout.kinds[slot]
                else { continue }
                plan.steps[slot] = Step(column: position, kind: kind(attribute))
            case .toOne(let key, let number, _):
                guard let position = positions[key.name], case .toOne(let relationship) = entity.layout.kinds[slot],
                    let destination = relationship.destinationEntity.flatMap(schema.entity)
                else { continue }
                plan.steps[slot] = Step(
                    column: position, kind: .reference, number: number.flatMap { positions[$0.name] } ?? -1,
                    destination: Int32(destination.number))
            case .composite(let elements): plan.composites.append((slot, elements.map { element($0, positions) }))
            case .none, .toMany, .join: break
            }
        }
        return plan
    }

    private static func element(_ element: SQLElement, _ positions: [String: Int32]) -> Element {
        switch element.storage {
        case .composite(let elements): .composite(elements.map { self.element($0, positions) })
        case .column(let column):
            .value(Step(column: positions[column.name] ?? -1, kind: kind(element.attribute.attributeType)))
        case .none, .toOne, .toMany, .join: .value(Step())
        }
    }

    private func value(_ statement: SQLiteStatement, _ element: Element) throws -> SlotValue {
        switch element {
        case .value(let step): step.column < 0 ? .null : try value(statement, step)
        case .composite(let elements): SlotValue(elements: try elements.map { try value(statement, $0) })
        }
    }

    static func kind(_ attribute: NSAttributeDescription) -> Step.Kind {
        let isExternal = attribute.allowsExternalBinaryDataStorage
        let isData = [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType)
        return isExternal && isData ? .externalData : kind(attribute.attributeType)
    }

    static func kind(_ type: NSAttributeType) -> Step.Kind {
        switch type {
        case .doubleAttributeType, .floatAttributeType: .real
        case .dateAttributeType: .date
        case .decimalAttributeType: .decimal
        case .stringAttributeType: .string
        case .URIAttributeType: .uri
        case .UUIDAttributeType: .uuid
        case .binaryDataAttributeType, .transformableAttributeType: .data
        default: .integer
        }
    }

    /// The layout of the current row's entity; nil for a number that the model doesn't have.
    func layout(_ statement: SQLiteStatement) -> EntityLayout? {
        if let single { return single.entity.layout }
        return plans[Int(statement.int(SQLResultColumns.entityNumber))]?.entity.layout
    }

    /// The current row's values.
    func row(_ statement: SQLiteStatement) throws -> Row {
        let number = Int(statement.int(SQLResultColumns.entityNumber))
        guard let plan = single ?? plans[number] else {
            throw CocoaError.request("Z_ENT \(number) is not an entity of \(entity.name)'s tree")
        }
        var values = try [SlotValue](unsafeUninitializedCapacity: plan.steps.count) { buffer, count in
            for step in plan.steps {
                buffer.initializeElement(at: count, to: step.column < 0 ? .null : try value(statement, step))
                count += 1
            }
        }
        for (slot, elements) in plan.composites { values[slot] = try value(statement, .composite(elements)) }
        return Row(version: statement.int(SQLResultColumns.version), values: values)
    }

    @inline(__always)
    func value(_ statement: SQLiteStatement, _ step: Step) throws -> SlotValue {
        let column = step.column
        guard let value = statement.value(column), !value.isNull else { return .null }
        switch step.kind {
        case .integer: return .integer(value.int)
        case .real: return .real(value.double)
        case .date: return .date(value.double)
        case .string: return .string(value.string)
        case .data: return .data(statement.data(column))
        case .uuid: return Self.uuid(statement, column)
        case .uri: return URL(string: statement.string(column)).map { .uri($0) } ?? .null
        case .decimal: return .decimal(Self.decimal(statement, column))
        case .reference:
            let number = step.number >= 0 ? Int32(truncatingIfNeeded: statement.int(step.number)) : step.destination
            return .reference(key: statement.int(column), entity: number)
        case .externalData: return try externalData.value(statement, column)
        }
    }

    /// Stores have the bytes; tools of others have written text.
    private static func uuid(_ statement: SQLiteStatement, _ column: Int32) -> SlotValue {
        (statement.uuid(column) ?? UUID(uuidString: statement.string(column))).map { .uuid($0) } ?? .null
    }

    /// Stores keep decimals as doubles; the shortest text of the double is the decimal that was meant.
    private static func decimal(_ statement: SQLiteStatement, _ column: Int32) -> Decimal {
        if statement.type(column) == SQLITE_INTEGER { return Decimal(statement.int(column)) }
        if statement.type(column) == SQLITE_TEXT { return Decimal(string: statement.string(column)) ?? 0 }
        let number = statement.double(column)
        // A number beyond what a decimal can hold is none; Foundation's own conversion would stop the program.
        return Decimal(string: "\(number)", locale: nil) ?? .nan
    }
}
