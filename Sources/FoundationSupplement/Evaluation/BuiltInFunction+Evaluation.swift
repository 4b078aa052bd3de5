extension BuiltInFunction {
    /// The value of a built-in function.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown name, or arguments of a wrong number or kind.
    static func evaluate(_ name: String, _ arguments: [NSExpression], in context: EvaluationContext) throws -> Any? {
        if name == "objectFrom:withIndex:" { return try element(arguments, in: context) }
        let values = try arguments.map { try $0.evaluated(in: context) }
        guard names.contains(name), values.count == arity(of: name, values.count) else {
            let text = NSExpression(storage: .function(name: name, operand: nil, arguments)).formatText
            throw PredicateEvaluationError("Unsupported function expression \(text)")
        }
        switch values.count {
        case 0: return name == "now" ? Date() : Double.random(in: 0..<1)
        case 1: return try unary(name, values[0])
        default: return try binary(name, values[0], values[1])
        }
    }

    /// How many arguments a function takes: one for each colon, and `random` none or one.
    private static func arity(of name: String, _ given: Int) -> Int {
        name == "random" && given == 1 ? 1 : name.count { $0 == ":" }
    }

    // MARK: One argument

    private static func unary(_ name: String, _ value: Any?) throws -> Any? {
        switch name {
        case "noindex:": return value
        case "uppercase:", "lowercase:", "canonical:", "length:": return try text(name, value)
        case "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:":
            return try aggregate(name, value)
        case "onesComplement:": return try Arithmetic.integer(value, in: name).map { Int(~$0) }
        case "random", "random:", "randomn:":
            guard let limit = try Arithmetic.integer(value, in: name) else { return nil }
            return limit > 0 ? Int(Int64.random(in: 0..<limit)) : 0
        default: return try Arithmetic.number(value, in: name).flatMap { mathematical(name, $0) }
        }
    }

    private static func text(_ name: String, _ value: Any?) throws -> Any? {
        switch PredicateValue(value) {
        case .null: return nil
        case .string(let text):
            switch name {
            case "uppercase:": return text.uppercased()
            case "lowercase:": return text.lowercased()
            case "length:": return text.utf16.count
            default: return StringComparison([.caseInsensitive, .diacriticInsensitive]).folded(text)
            }
        case let other: throw PredicateEvaluationError("\(name) needs a string, not \(other.description)")
        }
    }

    private static func mathematical(_ name: String, _ number: PredicateNumber) -> Any? {
        let rounding: FloatingPointRoundingRule
        switch name {
        case "sqrt:": return number.double.squareRoot()
        case "log:": return log10(number.double)
        case "ln:": return log(number.double)
        case "exp:": return exp(number.double)
        case "abs:":
            guard number.compared(to: .integer(0)) == .orderedAscending else { return number.value }
            return Arithmetic.subtract(.integer(0), number).value
        case "ceiling:": rounding = .up
        case "floor:": rounding = .down
        default: rounding = .towardZero
        }
        if case .integer(let value) = number { return Int(value) }
        return number.double.rounded(rounding)
    }

    // MARK: Collections

    private static func aggregate(_ name: String, _ value: Any?) throws -> Any? {
        if PredicateValue(value).isNull { return name == "count:" || name == "sum:" ? 0 : nil }
        guard let values = collectionElements(of: value) else {
            throw PredicateEvaluationError("\(name) needs a collection, not \(PredicateValue(value).description)")
        }
        switch name {
        case "count:": return values.count
        case "sum:": return try Arithmetic.sum(values).value
        case "average:": return try Arithmetic.average(values)
        case "min:": return try Arithmetic.extreme(values, .orderedAscending)
        case "max:": return try Arithmetic.extreme(values, .orderedDescending)
        case "mode:": return mode(values)
        case "median:": return try median(Arithmetic.numbers(values, in: name).map(\.double))
        default: return try deviation(Arithmetic.numbers(values, in: name).map(\.double))
        }
    }

    /// The most frequent values.
    private static func mode(_ values: [Any?]) -> [Any] {
        let counts = Dictionary(grouping: values.compactMap { $0 }, by: ValueKey.init).mapValues(\.count)
        let most = counts.values.max() ?? 0
        return ValueKey.distinct(values).filter { counts[ValueKey($0)] == most }
    }

    private static func median(_ values: [Double]) -> Any? {
        if values.isEmpty { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The standard deviation of the whole population.
    private static func deviation(_ values: [Double]) -> Any? {
        if values.isEmpty { return nil }
        let mean = values.reduce(0, +) / Double(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }

    // MARK: Two arguments

    private static func binary(_ name: String, _ left: Any?, _ right: Any?) throws -> Any? {
        switch name {
        case "castObject:toType:": return try Cast.value(left, to: right)
        case "distanceToLocation:fromLocation:": return try distance(left, right)
        case "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:":
            guard let left = try Arithmetic.integer(left, in: name), let right = try Arithmetic.integer(right, in: name)
            else { return nil }
            return Int(bitwise(name, left, right))
        default:
            guard let left = try Arithmetic.number(left, in: name), let right = try Arithmetic.number(right, in: name)
            else { return nil }
            return arithmetic(name, left, right)?.value
        }
    }

    private static func bitwise(_ name: String, _ left: Int64, _ right: Int64) -> Int64 {
        switch name {
        case "bitwiseAnd:with:": left & right
        case "bitwiseOr:with:": left | right
        case "bitwiseXor:with:": left ^ right
        case "leftshift:by:": left << right
        default: left >> right
        }
    }

    private static func arithmetic(
        _ name: String, _ left: PredicateNumber, _ right: PredicateNumber
    ) -> PredicateNumber? {
        switch name {
        case "add:to:": Arithmetic.add(left, right)
        case "from:subtract:": Arithmetic.subtract(left, right)
        case "multiply:by:": Arithmetic.multiply(left, right)
        case "divide:by:": Arithmetic.divide(left, right)
        case "modulus:by:": Arithmetic.modulus(left, right)
        default: Arithmetic.raise(left, to: right)
        }
    }

    /// The distance in metres on a sphere. Locations are any values with the keys `latitude` and `longitude`.
    private static func distance(_ left: Any?, _ right: Any?) throws -> Any? {
        guard let left, let right else { return nil }
        let radians = { (place: Any, key: String) -> Double in
            let number = try Arithmetic.number(
                try keyValue(of: place, key: key), in: "distanceToLocation:fromLocation:")
            return (number?.double ?? .nan) * .pi / 180
        }
        let (latitude, otherLatitude) = (try radians(left, "latitude"), try radians(right, "latitude"))
        let longitudes = try radians(right, "longitude") - radians(left, "longitude")
        let height = sin((otherLatitude - latitude) / 2)
        let width = sin(longitudes / 2)
        let chord = height * height + cos(latitude) * cos(otherLatitude) * width * width
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }

    // MARK: Index

    /// `x[FIRST]`, `x[3]`, `x["key"]`. A place that an array doesn't have gives nil.
    private static func element(_ arguments: [NSExpression], in context: EvaluationContext) throws -> Any? {
        guard arguments.count == 2 else { throw PredicateEvaluationError("objectFrom:withIndex: needs two arguments") }
        let collection = try arguments[0].evaluated(in: context)
        if case .symbolicIndex(let symbol) = arguments[1].storage { return try element(symbol, of: collection) }
        let index = try arguments[1].evaluated(in: context)
        guard let collection, !(collection is NSNull) else { return nil }
        if let dictionary = collection as? any DictionaryValues {
            return index.flatMap { dictionary.value(forAnyKey: $0) }
        }
        if let dictionary = collection as? NSDictionary { return index.flatMap { dictionary[$0] } }
        let elements = try ordered(collection)
        guard let place = try Arithmetic.integer(index, in: "[ ]").map({ Int($0) }) else { return nil }
        return elements.indices.contains(place) ? elements[place] : nil
    }

    private static func element(_ symbol: SymbolicIndex, of collection: Any?) throws -> Any? {
        guard let collection, !(collection is NSNull) else { return symbol == .size ? 0 : nil }
        switch symbol {
        case .size:
            guard let elements = collectionElements(of: collection) else { return try ordered(collection).count }
            return elements.count
        case .first: return try ordered(collection).first ?? nil
        case .last: return try ordered(collection).last ?? nil
        }
    }

    private static func ordered(_ collection: Any) throws -> [Any?] {
        guard let elements = collectionElements(of: collection), !isUnordered(collection) else {
            throw PredicateEvaluationError("[ ] needs an ordered collection, not a \(type(of: collection))")
        }
        return elements
    }
}
