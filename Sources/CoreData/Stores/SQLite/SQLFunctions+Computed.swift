import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// The functions of predicates that SQL doesn't have, or has with another meaning: computed as in memory.
extension SQLFunctions {
    /// A function that `NSCoreDataFunction` computes.
    struct Computed {
        /// Whether the arguments are the elements of a list.
        let isAggregate: Bool
        private let result: (([NSAttributeType?]) -> NSAttributeType?)

        /// The type of the function's values.
        func resultType(_ arguments: [NSAttributeType?]) -> NSAttributeType? { result(arguments) }

        /// Nil for a function that there isn't.
        init?(_ name: String) {
            isAggregate = ["sum:", "count:", "min:", "max:", "average:", "median:", "stddev:"].contains(name)
            switch name {
            case "uppercase:", "lowercase:", "canonical:": result = { _ in .stringAttributeType }
            case "length:", "count:", "onesComplement:", "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:",
                "leftshift:by:", "rightshift:by:", "random:", "randomn:":
                result = { _ in .integer64AttributeType }
            case "abs:", "min:", "max:": result = { $0.first ?? nil }
            case "add:to:", "from:subtract:", "multiply:by:", "divide:by:": result = Self.arithmeticType
            case "sqrt:", "log:", "ln:", "exp:", "ceiling:", "floor:", "trunc:", "modulus:by:", "raise:toPower:",
                "sum:", "average:", "median:", "stddev:":
                result = { _ in .doubleAttributeType }
            case "castObject:toType:": result = { _ in nil }
            default: return nil
            }
        }

        private static func arithmeticType(_ arguments: [NSAttributeType?]) -> NSAttributeType? {
            let isDecimal = arguments.allSatisfy { $0 == .decimalAttributeType || $0?.isInteger == true }
            return isDecimal ? .decimalAttributeType : .doubleAttributeType
        }
    }

    /// What an argument is in memory, which SQLite's own types don't tell: a letter in the function's signature.
    enum Argument: Character {
        case date = "d"
        case decimal = "m"
        case uuid = "u"
        case uri = "l"
        /// What SQLite's type says.
        case plain = "n"

        init(_ type: NSAttributeType?) {
            switch type {
            case .dateAttributeType: self = .date
            case .decimalAttributeType: self = .decimal
            case .UUIDAttributeType: self = .uuid
            case .URIAttributeType: self = .uri
            default: self = .plain
            }
        }

        func value(_ value: OpaquePointer?) -> Any? {
            switch (self, sqlite3_value_type(value)) {
            case (_, SQLITE_NULL): return nil
            case (.date, SQLITE_INTEGER), (.date, SQLITE_FLOAT):
                return Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value))
            case (.decimal, SQLITE_INTEGER): return Decimal(sqlite3_value_int64(value))
            case (.decimal, SQLITE_FLOAT): return Decimal(string: "\(sqlite3_value_double(value))", locale: nil)
            case (_, SQLITE_INTEGER): return Int(sqlite3_value_int64(value))
            case (_, SQLITE_FLOAT): return sqlite3_value_double(value)
            case (.uri, _): return Text(value).flatMap { URL(string: $0.string) }
            case (.uuid, SQLITE_BLOB): return uuid(data(value))
            case (_, SQLITE_BLOB): return data(value)
            default: return Text(value)?.string
            }
        }

        private func data(_ value: OpaquePointer?) -> Data {
            guard let bytes = sqlite3_value_blob(value) else { return Data() }
            return Data(bytes: bytes, count: Int(sqlite3_value_bytes(value)))
        }

        private func uuid(_ data: Data) -> UUID? {
            data.count == 16 ? data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil
        }
    }

    static func addComputed(on database: OpaquePointer) {
        // Called with a letter for each argument, a space and the function's name, then the arguments.
        add("NSCoreDataFunction", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, on: database) { context, values in
            guard let first = values.first, let head = Text(first)?.string, let space = head.firstIndex(of: " ") else {
                return sqlite3_result_null(context)
            }
            let name = String(head[head.index(after: space)...])
            let arguments = zip(head[..<space], values.dropFirst()).map { Argument(rawValue: $0)?.value($1) }
            do { try give(compute(name, arguments), context) } catch { fail(error, context) }
        }
        addDecimalSum(on: database)
    }

    private static func compute(_ name: String, _ arguments: [Any?]) throws -> Any? {
        let isAggregate = Computed(name)?.isAggregate ?? false
        let constants = (isAggregate ? [arguments.compactMap(\.self)] : arguments)
            .map { FoundationSupplement.NSExpression(forConstantValue: $0) }
        return try FoundationSupplement.NSExpression(forFunction: name, arguments: constants)
            .evaluateThrowing(with: nil)
    }

    private static func give(_ value: Any?, _ context: OpaquePointer) throws {
        switch try SlotValue(constant: value) {
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number), .date(let number): sqlite3_result_double(context, number)
        case .decimal(let number): sqlite3_result_double(context, number.nearestDouble)
        case .string(let text): give(text, context)
        case .uri(let url): give(url.absoluteString, context)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { give($0, context) }
        case .data(let data): data.withUnsafeBytes { give($0, context) }
        case .null, .composite, .external, .transformed, .reference, .object, .toMany, .fetched:
            sqlite3_result_null(context)
        }
    }

    private static func give(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer) {
        csqlite_result_blob_copy(context, bytes.baseAddress, Int64(bytes.count))
    }

    // MARK: Elements of lists

    /// What gets a value back from the JSON of a `ValueList`.
    static func addElements(on database: OpaquePointer) {
        add("NSCoreDataReal", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, on: database) { context, values in
            sqlite3_result_double(context, Double(bitPattern: UInt64(bitPattern: sqlite3_value_int64(values[0]))))
        }
        add("NSCoreDataBytes", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, on: database) { context, values in
            guard let text = Text(values[0])?.bytes, let kind = text.first else { return sqlite3_result_null(context) }
            let digits = text.dropFirst().map { $0 <= UInt8(ascii: "9") ? $0 & 15 : ($0 & 15) + 9 }
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            if kind == UInt8(ascii: "t") { return give(String(decoding: bytes, as: UTF8.self), context) }
            bytes.withUnsafeBytes { give($0, context) }
        }
    }

    // MARK: Sums of decimals

    private final class Total { var sum = Decimal() }

    /// A sum of what a store keeps as doubles, without their errors.
    private static func addDecimalSum(on database: OpaquePointer) {
        sqlite3_create_function_v2(
            database, "NSCoreDataDecimalSum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil,
            { context, _, values in
                guard let place = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeRawPointer?>.size)),
                    let number = Argument.decimal.value(values?[0]) as? Decimal
                else { return }
                let total = place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                let known = total.pointee ?? Unmanaged.passRetained(Total()).toOpaque()
                total.pointee = known
                Unmanaged<Total>.fromOpaque(known).takeUnretainedValue().sum += number
            },
            { context in
                let place = sqlite3_aggregate_context(context, 0)
                guard let total = place?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee else {
                    return sqlite3_result_null(context)
                }
                let sum = Unmanaged<Total>.fromOpaque(total).takeRetainedValue().sum
                sqlite3_result_double(context, sum.nearestDouble)
            }, nil)
    }
}
