import FoundationSupplement
import ManagedObjectModel

/// A derived attribute of a SQLite store: the triggers that keep its column true.
///
/// "Source" is the table of the attribute's entity, "parameter" one whose rows the value is derived from. The forms that
/// Apple documents: `now()`; an attribute, also of an object at the end of to-one relationships, as it is or as text in
/// lower case, in upper case, or canonical; the number of objects of a to-many relationship; the sum of an attribute of
/// theirs.
struct SQLDerivation {
    private let schema: SQLSchema
    private let entity: SQLEntity
    private let attribute: String
    private let column: String
    /// The value as an expression over a row of the source.
    private var value = ""
    private(set) var triggers: [String] = []

    private var source: String { entity.table.name }

    /// - Throws: an error for a derivation of another form.
    init(_ attribute: NSDerivedAttributeDescription, of entity: SQLEntity, _ schema: SQLSchema) throws {
        let text = attribute.derivationText ?? ""
        let unsupported = CocoaError.unsupported(
            "the derivation '\(text)' of '\(entity.name).\(attribute.name)' in a SQLite store")
        guard let column = schema.column(of: attribute.name, in: entity),
            let form = attribute.derivationExpression.flatMap(DerivationForm.init)
        else { throw unsupported }
        self.schema = schema
        self.entity = entity
        self.attribute = attribute.name
        self.column = column
        let isSupported =
            switch form {
            case .timeOfSave: addTimeOfSave()
            case .value(let function, let path): addValue(function, path)
            case .count(let relationship): addCount(relationship)
            case .sum(let relationship, let path): addSum(relationship, path)
            }
        guard isSupported else { throw unsupported }
    }

    /// Gives the column its value in all rows that were there before the triggers.
    var filling: String {
        "UPDATE \(source) SET \(column) = \(value)" + (schema.restriction(to: entity).map { " WHERE \($0)" } ?? "")
    }

    // MARK: Triggers

    /// Adds a trigger that gives the rows of the source for which `condition` is true a value, and reports them.
    ///
    /// - Parameter row: the row that changed, as triggers call it, where only one with a key in `condition` matters.
    private mutating func add(
        _ suffix: String, _ event: String, on table: String, when: String? = nil, set value: String,
        where condition: String
    ) {
        let isOwnInsert = table == source && event == "INSERT" && !suffix.hasPrefix("PARAMETER")
        let function =
            isOwnInsert
            ? "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue" : "NSCoreDataDATriggerUpdatedAffectedObjectValue"
        let rows = condition + (schema.restriction(to: entity).map { " AND \($0)" } ?? "")
        triggers.append(
            "CREATE TRIGGER Z_DA_\(table)_\(entity.name)_\(attribute)_\(suffix) AFTER \(event) ON \(table) FOR EACH ROW"
                + (when.map { " WHEN (\($0))" } ?? "")
                + " BEGIN UPDATE \(source) SET \(column) = \(value) WHERE \(rows);"
                + " SELECT \(function)('\(source)', Z_ENT, Z_PK, '\(attribute)', \(column)) FROM \(source) WHERE \(rows);"
                + " END")
    }

    // MARK: The time

    private mutating func addTimeOfSave() -> Bool {
        value = "NSCoreDataNow()"
        add("INSERT", "INSERT", on: source, set: value, where: "Z_PK = NEW.Z_PK")
        add("UPDATE", "UPDATE OF Z_OPT", on: source, set: value, where: "Z_PK = NEW.Z_PK")
        return true
    }

    // MARK: Attributes

    private mutating func addValue(_ function: String?, _ path: [String]) -> Bool {
        guard let walk = Walk(path, from: entity, schema) else { return false }
        func result(_ column: String) -> String { function.map { "\($0)(\(column))" } ?? column }
        guard let first = walk.steps.first else {
            value = result(walk.column)
            add("INSERT", "INSERT", on: source, set: value, where: "Z_PK = NEW.Z_PK")
            add("UPDATE", "UPDATE OF \(walk.column)", on: source, set: value, where: "Z_PK = NEW.Z_PK")
            return true
        }
        value = walk.value(of: source, result)
        add("INSERT", "INSERT", on: source, set: value, where: "Z_PK = NEW.Z_PK")
        add("UPDATE", "UPDATE OF \(first.key)", on: source, set: value, where: "Z_PK = NEW.Z_PK")
        for (index, step) in walk.steps.enumerated() {
            let next = index + 1 < walk.steps.count ? walk.steps[index + 1].key : walk.column
            let name = index == 0 ? "PARAMETER" : "PARAMETER\(index + 1)"
            for (event, row) in [("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")] {
                let event = (name: event, text: event == "UPDATE" ? "UPDATE OF \(next)" : event)
                add(
                    "\(name)_\(event.name)", event.text, on: step.table, set: value,
                    where: walk.condition(index, "\(row).Z_PK"))
            }
        }
        return true
    }

    /// To-one relationships one after the other, and an attribute at the end.
    private struct Walk {
        struct Step {
            /// The column with the key, and the table that it leads to.
            let key: String
            let table: String
        }

        let steps: [Step]
        let column: String

        init?(_ path: [String], from entity: SQLEntity, _ schema: SQLSchema) {
            var (entity, steps): (SQLEntity, [Step]) = (entity, [])
            for (index, name) in path.enumerated() {
                guard let slot = entity.layout.slot(name) else { return nil }
                guard case .toOne(let key, _, _) = entity.storage[slot] else {
                    let rest = path[index...].joined(separator: ".")
                    guard case .attribute = entity.layout.kinds[slot],
                        let column = schema.column(of: rest, in: entity)
                    else { return nil }
                    (self.steps, self.column) = (steps, column)
                    return
                }
                guard case .toOne(let relationship) = entity.layout.kinds[slot],
                    let destination = relationship.destinationEntity.flatMap(schema.entity)
                else { return nil }
                steps.append(Step(key: key.name, table: destination.table.name))
                entity = destination
            }
            return nil
        }

        /// The value for a row of `source`.
        func value(of source: String, _ result: (String) -> String) -> String {
            var from = ""
            for (index, step) in steps.enumerated() {
                from += index == 0 ? "\(step.table) t1" : " JOIN \(step.table) t\(index + 1)"
                if index > 0 { from += " ON t\(index + 1).Z_PK = t\(index).\(step.key)" }
            }
            let column = result("t\(steps.count).\(column)")
            return "(SELECT \(column) FROM \(from) WHERE t1.Z_PK = \(source).\(steps.first?.key ?? "Z_PK"))"
        }

        /// Which rows of the source lead to a row of a step's table.
        func condition(_ index: Int, _ key: String) -> String {
            steps[..<index].indices.reversed().reduce("\(steps[index].key) = \(key)") { inner, index in
                "\(steps[index].key) IN (SELECT Z_PK FROM \(steps[index].table) WHERE \(inner))"
            }
        }
    }

    // MARK: To-many relationships

    private func storage(_ relationship: String) -> SQLStorage? {
        entity.layout.slot(relationship).map { entity.storage[$0] }
    }

    private mutating func addCount(_ relationship: String) -> Bool {
        switch storage(relationship) {
        case .toMany(let key, _, _, let destination):
            let (table, key) = (destination.table.name, key.name)
            addCounting(key, in: table, canMove: true)
            return true
        case .join(let table, let own, _, _, _, _):
            addCounting(own, in: table.name, canMove: false)
            return true
        default: return false
        }
    }

    /// Counts the rows of a table that have the source's key in a column.
    private mutating func addCounting(_ key: String, in table: String, canMove: Bool) {
        func count(_ owner: String) -> String {
            "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(table) WHERE \(key) = \(owner))"
        }
        value =
            table == source
            ? "(SELECT IFNULL(COUNT(t1.\(key)), 0) FROM \(table) t1 WHERE t1.\(key) = \(source).Z_PK)"
            : count("\(source).Z_PK")
        func trigger(_ suffix: String, _ event: String, _ row: String, _ value: String) {
            add(
                "PARAMETER_\(suffix)", event, on: table, when: "\(row).\(key) NOT NULL", set: value,
                where: "Z_PK = \(row).\(key)")
        }
        // A row of the same table may be its own parameter, and is counted already.
        trigger("INSERT", "INSERT", "NEW", table == source ? value : "IFNULL(\(column), 0) + 1")
        if canMove {
            trigger("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1")
            trigger("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1")
        }
        trigger("DELETE", "DELETE", "OLD", "\(column) - 1")
        add("SOURCE_INSERT", "INSERT", on: source, set: count("NEW.Z_PK"), where: "Z_PK = NEW.Z_PK")
    }

    private mutating func addSum(_ relationship: String, _ path: [String]) -> Bool {
        guard let storage = storage(relationship) else { return false }
        switch storage {
        case .toMany(let key, _, _, let destination):
            guard let column = Self.numericColumn(path, destination, schema) else { return false }
            let (table, key) = (destination.table.name, key.name)
            value = "(SELECT IFNULL(SUM(t1.\(column)), 0) FROM \(table) t1 WHERE t1.\(key) = \(source).Z_PK)"
            add("PARAMETER_INSERT", "INSERT", on: table, set: value, where: "Z_PK = NEW.\(key)")
            add(
                "PARAMETER_UPDATE", "UPDATE OF \(key), \(column)", on: table, set: value,
                where: "Z_PK IN (NEW.\(key), OLD.\(key))")
            add("PARAMETER_DELETE", "DELETE", on: table, set: value, where: "Z_PK = OLD.\(key)")
        case .join(let join, let own, let other, _, _, let destination):
            guard let column = Self.numericColumn(path, destination, schema) else { return false }
            let table = destination.table.name
            value =
                "(SELECT IFNULL(SUM(t2.\(column)), 0) FROM \(join.name) t1 JOIN \(table) t2 ON t2.Z_PK = t1.\(other)"
                + " WHERE t1.\(own) = \(source).Z_PK)"
            add("PARAMETER_INSERT", "INSERT", on: join.name, set: value, where: "Z_PK = NEW.\(own)")
            add("PARAMETER_DELETE", "DELETE", on: join.name, set: value, where: "Z_PK = OLD.\(own)")
            for (event, text, row) in [
                ("INSERT", "INSERT", "NEW"), ("UPDATE", "UPDATE OF \(column)", "NEW"), ("DELETE", "DELETE", "OLD"),
            ] {
                add(
                    "PARAMETER_\(event)", text, on: table, set: value,
                    where: "Z_PK IN (SELECT \(own) FROM \(join.name) WHERE \(other) = \(row).Z_PK)")
            }
        default: return false
        }
        add("SOURCE_INSERT", "INSERT", on: source, set: value, where: "Z_PK = NEW.Z_PK")
        return true
    }

    private static func numericColumn(_ path: [String], _ entity: SQLEntity, _ schema: SQLSchema) -> String? {
        let path = path.joined(separator: ".")
        guard let type = schema.attribute(at: path, in: entity)?.attributeType, type.isNumeric else { return nil }
        return schema.column(of: path, in: entity)
    }
}

/// What a derived attribute's expression asks for, as far as SQLite stores know it.
enum DerivationForm: Equatable {
    case timeOfSave
    /// The SQL function for a text, and a path that ends in an attribute.
    case value(function: String?, path: [String])
    case count(relationship: String)
    case sum(relationship: String, path: [String])

    init?(_ expression: FoundationSupplement.NSExpression) {
        if let path = expression.plainKeyPath {
            self.init(path: path.split(separator: ".").map(String.init))
            return
        }
        guard expression.expressionType == .function else { return nil }
        let arguments = expression.arguments ?? []
        if expression.function == "now", arguments.isEmpty {
            self = .timeOfSave
            return
        }
        guard arguments.count == 1, let path = arguments[0].plainKeyPath?.split(separator: ".").map(String.init),
            let first = path.first
        else { return nil }
        switch expression.function {
        case "lowercase:": self = .value(function: "NSCoreDataLowercase", path: path)
        case "uppercase:": self = .value(function: "NSCoreDataUppercase", path: path)
        case "canonical:": self = .value(function: "NSCoreDataCanonical", path: path)
        case "count:" where path.count == 1: self = .count(relationship: first)
        case "sum:" where path.count > 1: self = .sum(relationship: first, path: Array(path.dropFirst()))
        default: return nil
        }
    }

    /// `name`, `country.name`, `cities.@count`, `cities.@sum.people`, `cities.people.@sum`.
    private init?(path: [String]) {
        guard let first = path.first else { return nil }
        let plain = path.filter { !$0.hasPrefix("@") }
        switch path.filter({ $0.hasPrefix("@") }) {
        case []: self = .value(function: nil, path: path)
        case ["@count"] where path == [first, "@count"]: self = .count(relationship: first)
        case ["@sum"] where plain.count > 1 && first != "@sum":
            self = .sum(relationship: first, path: Array(plain.dropFirst()))
        default: return nil
        }
    }
}
