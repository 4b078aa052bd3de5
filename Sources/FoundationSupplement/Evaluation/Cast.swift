/// `CAST(value, "NSDate")`.
enum Cast {
    /// The value as another type, named as Foundation's classes are; nil stays nil.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown type or a value that doesn't fit it.
    static func value(_ value: Any?, to type: Any?) throws -> Any? {
        guard case .string(let name) = PredicateValue(type) else {
            throw PredicateEvaluationError("CAST needs the name of a type")
        }
        let source = PredicateValue(value)
        if source.isNull { return nil }
        switch name {
        case "NSDate":
            if case .date(let date) = source { return date }
            return try number(source, name).map { Date(timeIntervalSinceReferenceDate: $0.double) }
        case "NSNumber": return try number(source, name)?.value
        case "NSDecimalNumber": return try decimal(source)
        case "NSString": return text(source)
        case "NSUUID": return try text(source).flatMap(UUID.init(uuidString:)) ?? fail(source, name)
        case "NSURL": return try text(source).flatMap(URL.init(string:)) ?? fail(source, name)
        case "Class": return try text(source).flatMap(NSClassFromString) ?? fail(source, name)
        default: throw PredicateEvaluationError("Don't know how to cast to \(name)")
        }
    }

    private static func number(_ value: PredicateValue, _ type: String) throws -> PredicateNumber? {
        switch value {
        case .number(let number): return number
        case .date(let date): return .real(date.timeIntervalSinceReferenceDate)
        case .string(let text):
            if let integer = Int64(text) { return .integer(integer) }
            if let real = Double(text) { return .real(real) }
            return try fail(value, type)
        default: return try fail(value, type)
        }
    }

    private static func decimal(_ value: PredicateValue) throws -> Any? {
        switch value {
        case .string(let text): return try Decimal(string: text) ?? fail(value, "NSDecimalNumber")
        case .number(.integer(let number)): return Decimal(number)
        case .number(.decimal(let number)): return number
        default: return try number(value, "NSDecimalNumber").map { Decimal($0.double) }
        }
    }

    private static func text(_ value: PredicateValue) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text
        case .number: ConstantText.text(of: value.any)
        case .date(let date): "\(date)"
        case .other(let other): (other as? URL)?.absoluteString ?? "\(other)"
        }
    }

    private static func fail<Result>(_ value: PredicateValue, _ type: String) throws -> Result {
        throw PredicateEvaluationError("Can't cast \(value.description) to \(type)")
    }
}

extension PredicateValue {
    /// The value as a Swift type.
    var any: Any? {
        switch self {
        case .null: nil
        case .number(let number): number.value
        case .string(let text): text
        case .date(let date): date
        case .other(let other): other
        }
    }
}
