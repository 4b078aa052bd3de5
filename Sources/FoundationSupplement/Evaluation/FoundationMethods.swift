/// The methods of Foundation's classes that predicates call by name, with FUNCTION or as a key: Linux has no runtime
/// that would find them.
enum FoundationMethods {
    /// The result, or nil when the value has no such method.
    static func call(_ name: String, on target: Any, _ arguments: [Any?]) -> Found? {
        let value = PredicateValue(target)
        let argument = arguments.first.map { PredicateValue($0) }
        if arguments.count > 1 { return nil }
        if let found = common(name, target, argument) { return found }
        switch value {
        case .string(let text):
            return argument.map { string(name, text, $0) } ?? string(name, text)
        case .number(let number): return argument == nil ? self.number(name, number) : nil
        case .date(let date): return self.date(name, date, argument)
        case .other(let other): return collection(name, other, arguments)
        case .null: return nil
        }
    }

    private static func common(_ name: String, _ target: Any, _ argument: PredicateValue?) -> Found? {
        switch (name, argument) {
        case ("self", nil): Found(value: target)
        case ("description", nil): Found(value: "\(target)")
        case ("isEqual:", let argument?), ("isEqualToString:", let argument?), ("isEqualToNumber:", let argument?),
            ("isEqualToDate:", let argument?):
            Found(value: PredicateValue.areEqual(PredicateValue(target), argument))
        case ("isKindOfClass:", .other(let other)?): isKind(target, of: other, exactly: false)
        case ("isMemberOfClass:", .other(let other)?): isKind(target, of: other, exactly: true)
        default: nil
        }
    }

    private static func isKind(_ target: Any, of type: Any, exactly: Bool) -> Found? {
        guard let wanted = type as? AnyClass else { return nil }
        var current: AnyClass? = Swift.type(of: target) as? AnyClass
        while let candidate = current {
            if candidate == wanted { return Found(value: true) }
            // The standard library's; Foundation offers nothing for it on Linux.
            current = exactly ? nil : _getSuperclass(candidate)
        }
        return Found(value: false)
    }

    // MARK: Strings

    private static func string(_ name: String, _ text: String) -> Found? {
        switch name {
        case "length": Found(value: text.utf16.count)
        case "uppercaseString": Found(value: text.uppercased())
        case "lowercaseString": Found(value: text.lowercased())
        case "capitalizedString": Found(value: text.capitalized)
        case "intValue", "integerValue", "longLongValue": Found(value: Int((text as NSString).longLongValue))
        case "doubleValue", "floatValue": Found(value: (text as NSString).doubleValue)
        case "boolValue": Found(value: (text as NSString).boolValue)
        case "pathExtension": Found(value: (text as NSString).pathExtension)
        case "lastPathComponent": Found(value: (text as NSString).lastPathComponent)
        default: nil
        }
    }

    private static func string(_ name: String, _ text: String, _ argument: PredicateValue) -> Found? {
        switch argument {
        case .string(let other):
            switch name {
            case "stringByAppendingString:": return Found(value: text + other)
            case "hasPrefix:": return Found(value: text.hasPrefix(other))
            case "hasSuffix:": return Found(value: text.hasSuffix(other))
            case "containsString:": return Found(value: StringComparison([]).contains(text, other))
            case "localizedCaseInsensitiveContainsString:":
                return Found(value: text.localizedCaseInsensitiveContains(other))
            case "localizedStandardContainsString:":
                return Found(value: StringComparison([.caseInsensitive, .diacriticInsensitive]).contains(text, other))
            case "componentsSeparatedByString:": return Found(value: text.components(separatedBy: other))
            default: return nil
            }
        case .number(let number):
            let units = text.utf16.count
            guard let place = number.integer.flatMap({ Int(exactly: $0) }), (0...units).contains(place) else {
                return nil
            }
            switch name {
            case "substringFromIndex:": return Found(value: (text as NSString).substring(from: place))
            case "substringToIndex:": return Found(value: (text as NSString).substring(to: place))
            default: return nil
            }
        default: return nil
        }
    }

    // MARK: Numbers, dates, collections

    private static func number(_ name: String, _ number: PredicateNumber) -> Found? {
        switch name {
        case "intValue", "integerValue", "longLongValue": Found(value: number.integer.map { Int($0) })
        case "doubleValue", "floatValue": Found(value: number.double)
        case "boolValue": Found(value: number.double != 0)
        case "stringValue": Found(value: ConstantText.text(of: number.value))
        default: nil
        }
    }

    private static func date(_ name: String, _ date: Date, _ argument: PredicateValue?) -> Found? {
        switch (name, argument) {
        case ("timeIntervalSinceReferenceDate", nil): Found(value: date.timeIntervalSinceReferenceDate)
        case ("timeIntervalSince1970", nil): Found(value: date.timeIntervalSince1970)
        case ("timeIntervalSinceNow", nil): Found(value: date.timeIntervalSinceNow)
        case ("dateByAddingTimeInterval:", .number(let number)?), ("addTimeInterval:", .number(let number)?):
            Found(value: date.addingTimeInterval(number.double))
        case ("timeIntervalSinceDate:", .date(let other)?): Found(value: date.timeIntervalSince(other))
        default: nil
        }
    }

    private static func collection(_ name: String, _ value: Any, _ arguments: [Any?]) -> Found? {
        guard let elements = collectionElements(of: value) else {
            return arguments.isEmpty ? scalar(name, value) : nil
        }
        switch (name, arguments.count) {
        case ("count", 0): return Found(value: elements.count)
        case ("allObjects", 0): return Found(value: elements.map { $0 ?? NSNull() })
        case ("firstObject", 0): return Found(value: elements.first ?? nil)
        case ("lastObject", 0): return Found(value: elements.last ?? nil)
        case ("containsObject:", 1):
            let wanted = ValueKey(arguments[0])
            return Found(value: elements.contains { ValueKey($0) == wanted })
        case ("componentsJoinedByString:", 1):
            guard case .string(let separator) = PredicateValue(arguments[0]) else { return nil }
            return Found(value: elements.map { $0.map { "\($0)" } ?? "" }.joined(separator: separator))
        default: return nil
        }
    }

    private static func scalar(_ name: String, _ value: Any) -> Found? {
        switch (name, value) {
        case ("length", let data as Data): Found(value: data.count)
        case ("UUIDString", let uuid as UUID): Found(value: uuid.uuidString)
        case ("absoluteString", let url as URL): Found(value: url.absoluteString)
        case ("host", let url as URL): Found(value: url.host)
        case ("path", let url as URL): Found(value: url.path)
        case ("lastPathComponent", let url as URL): Found(value: url.lastPathComponent)
        default: nil
        }
    }
}
