import FoundationSupplement
import ManagedObjectModel

/// How a column of a dictionary is read from a statement's row.
struct SQLDictionaryColumn {
    /// For an object, the column with its key.
    let column: Int32
    /// For an object, the column with its entity's number; nil where there is only one entity.
    var number: Int32?
    /// For an object, the entity; nil for other values.
    var destination: SQLEntity?
    let wanted: DictionaryFetch.Column
}

extension SQLGenerator {
    /// `SELECT` of what a request for dictionaries asks for.
    static func dictionaries(
        _ wanted: DictionaryFetch, _ entity: SQLEntity, _ schema: SQLSchema
    ) throws -> (SQLQuery, [SQLDictionaryColumn]) {
        var generator = SQLGenerator(schema)
        let scope = generator.newScope(entity)
        let condition = try generator.condition(wanted.fetch, scope)
        generator.aggregatesRows = true
        let (texts, columns) = try generator.columns(wanted.columns, scope)
        let (groups, _) = try generator.columns(wanted.groups, scope)
        let having = try wanted.having.map { " HAVING " + (try generator.predicate($0, scope)) } ?? ""
        generator.aggregatesRows = false
        let order = try generator.order(wanted.fetch.sortDescriptors, scope)
        var text = "SELECT \(wanted.isDistinct ? "DISTINCT " : "")\(texts.joined(separator: ", "))"
        text += " FROM \(entity.table.name) \(scope.alias)\(scope.joinText)\(condition)"
        if !groups.isEmpty { text += " GROUP BY " + groups.joined(separator: ", ") }
        text += having + order + generator.window(wanted.fetch)
        return (SQLQuery(text: text, bindings: generator.bindings), columns)
    }

    private mutating func columns(
        _ wanted: [DictionaryFetch.Column], _ scope: Scope
    ) throws -> (texts: [String], [SQLDictionaryColumn]) {
        var texts: [String] = []
        var columns: [SQLDictionaryColumn] = []
        for column in wanted {
            let operand = try operand(column.expression, scope)
            var read = SQLDictionaryColumn(column: Int32(texts.count), wanted: column)
            guard let sql = try scalar(operand)?.sql else {
                throw CocoaError.request("Invalid to-many relationship in setPropertiesToFetch: (\(column.name))")
            }
            texts.append(sql)
            if case .object(_, let destination) = operand {
                read.destination = destination
                if destination.hasSubentities || destination.root != nil {
                    read.number = Int32(texts.count)
                    let path = column.expression.plainKeyPath.map { "\($0).entity" } ?? "entity"
                    guard let number = try self.path(path, scope) else { throw missing(path, scope.entity) }
                    texts.append(number.sql)
                }
            }
            columnOperands[column.name] = operand
            columns.append(read)
        }
        return (texts, columns)
    }

    /// `sum:(price)` over the rows of a group or of the whole result; nil for a function that is one row's.
    mutating func rowsAggregate(_ expression: Expression, _ scope: Scope) throws -> Operand? {
        guard aggregatesRows, let (function, argument) = expression.aggregate else { return nil }
        let values = try operand(argument, scope)
        if case .toMany(let collection) = values {
            // Of each row its own, and of those all of the group's.
            guard function != "average:",
                case .value(let sql, let type) = try aggregate(function: function, collection, expression, scope)
            else { throw unsupported(expression) }
            let whole = function == "count:" ? "sum:" : function
            let (text, result) = try Self.aggregate(
                whole, .value(sql: sql, type: type), isDistinct: false, countsNil: false)
            return .value(sql: text, type: result)
        }
        guard ["sum:", "count:", "min:", "max:", "average:"].contains(function), try scalar(values) != nil else {
            throw unsupported(expression)
        }
        let (text, type) = try Self.aggregate(function, values, isDistinct: false, countsNil: false)
        return .value(sql: text, type: type)
    }
}
