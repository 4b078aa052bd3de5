import FoundationSupplement
import ManagedObjectModel

/// An R-tree index: a virtual table with the values of numeric attributes, and the triggers that keep it true.
struct SQLRTree {
    private let name: String
    private let entity: SQLEntity
    private let columns: [String]
    private let restriction: (new: String?, own: String?)

    /// Whether an index is kept as an R-tree. All elements of one are of that type.
    static func isOne(_ index: NSFetchIndexDescription) -> Bool {
        index.elements.contains { $0.collationType == .rTree }
    }

    /// - Throws: an error for an index that mixes types, has a condition or elements that aren't numbers, or more of them
    ///   than SQLite's R-trees have dimensions.
    init(_ index: NSFetchIndexDescription, of entity: SQLEntity, _ schema: SQLSchema) throws {
        func unsupported(_ why: String) -> CocoaError {
            CocoaError.unsupported("the R-tree index '\(index.name)' of '\(entity.name)', which \(why),")
        }
        try SQLSchema.requirePlain(index.name, "index of '\(entity.name)'")
        guard index.elements.allSatisfy({ $0.collationType == .rTree }) else {
            throw unsupported("has binary elements")
        }
        guard index.partialIndexPredicate == nil else { throw unsupported("has a predicate") }
        guard index.elements.count <= 5 else { throw unsupported("has more than five elements") }
        columns = try index.elements.map { element in
            let expression = (element.property as? NSExpressionDescription)?.expression?.plainKeyPath
            guard let path = expression ?? element.propertyName,
                let type = schema.attribute(at: path, in: entity)?.attributeType,
                type.isNumeric || type == .dateAttributeType
            else { throw unsupported("has an element that is no number or date") }
            return try schema.indexColumn(element, index, entity)
        }
        name = "Z_RT_\(entity.name)_\(index.name)"
        self.entity = entity
        restriction = (schema.restriction(to: entity, "NEW.Z_ENT"), schema.restriction(to: entity))
    }

    /// The virtual table, then its triggers.
    var statements: [String] {
        let dimensions = columns.map { "\($0)_MIN FLOAT, \($0)_MAX FLOAT" }.joined(separator: ", ")
        let when = restriction.new.map { " WHEN (\($0))" } ?? ""
        let values = columns.map { "NEW.\($0) ,NEW.\($0)" }.joined(separator: ", ")
        let insert =
            "FOR EACH ROW\(when) BEGIN INSERT OR REPLACE INTO \(name) (\(names)) VALUES (NEW.Z_PK, \(values)) ; END"
        let table = entity.table.name
        return [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(dimensions))",
            "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(table) \(insert)",
            "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table) \(insert)",
            "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(table) FOR EACH ROW BEGIN"
                + " DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ; END",
        ]
    }

    /// Enters rows that were there before the triggers.
    var filling: String {
        let values = columns.map { "\($0), \($0)" }.joined(separator: ", ")
        let condition = restriction.own.map { " WHERE \($0)" } ?? ""
        return "INSERT INTO \(name) (\(names)) SELECT Z_PK, \(values) FROM \(entity.table.name)\(condition)"
    }

    private var names: String { "Z_PK, " + columns.map { "\($0)_MIN, \($0)_MAX" }.joined(separator: ", ") }
}
