import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// The condition of a partial index, whose values can't be bound and so are written out.
    ///
    /// - Throws: an error for a condition that SQLite can't keep an index for, or only while our functions are there.
    static func partialIndexCondition(_ predicate: NSPredicate, entity: SQLEntity, schema: SQLSchema) throws -> String {
        var generator = SQLGenerator(schema)
        generator.writesLiterals = true
        let scope = Scope(entity, alias: "")
        let text = try generator.predicate(predicate, scope)
        guard scope.joins.isEmpty, !text.contains("SELECT ") else {
            throw CocoaError.request("a partial index can't follow a relationship: \(predicate.formatText)")
        }
        let unsupported = CocoaError.request(
            "a partial index with this condition is not supported: \(predicate.formatText)")
        guard !text.contains("NSCoreData"), !text.contains("NSCollate") else { throw unsupported }
        // Between the parameters' marks there is no text of the predicate's own: names and SQL hold no question mark.
        var result = ""
        for (index, part) in text.split(separator: "?", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                result += part
                continue
            }
            let digits = part.prefix(while: \.isNumber)
            guard let number = Int(digits), generator.bindings.indices.contains(number - 1),
                let literal = generator.bindings[number - 1].sqlLiteral
            else { throw unsupported }
            result += literal + part.dropFirst(digits.count)
        }
        return result
    }
}

extension SlotValue {
    /// The value as a literal, for the few places where SQLite takes no parameter; nil for what has none.
    fileprivate var sqlLiteral: String? {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number), .date(let number): number.isFinite ? "\(number)" : nil
        case .decimal(let number): number.isNaN ? nil : "\(number.nearestDouble)"
        case .string(let text): text.contains("\0") ? nil : "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        case .uri(let url): "'\(url.absoluteString.replacingOccurrences(of: "'", with: "''"))'"
        case .data(let data): Self.literal(data)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Self.literal($0) }
        default: nil
        }
    }

    private static func literal(_ bytes: some Sequence<UInt8>) -> String {
        "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
    }
}
