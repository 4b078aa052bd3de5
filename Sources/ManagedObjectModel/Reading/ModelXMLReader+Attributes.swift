import FoundationSupplement

extension ModelXMLReader {
    /// Makes an attribute; `composites` are the names of the composites that it is inside of.
    func attribute(_ element: XMLTree, composites outer: [String]) throws -> NSAttributeDescription {
        let type = try attributeType(element)
        let attribute = try make(type, element, composites: outer)
        try setCommon(attribute, element)
        if type != .compositeAttributeType { attribute.attributeType = type }
        attribute.valueTransformerName = element.attributes["valueTransformerName"]
        attribute.allowsExternalBinaryDataStorage = flag(element, "allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = flag(element, "preserveAfterDeletion")
        attribute.allowsCloudEncryption = flag(element, "allowsCloudEncryption")
        attribute.defaultValue = try defaultValue(element, type)
        try setValidation(attribute, element)
        return attribute
    }

    private func attributeType(_ element: XMLTree) throws -> NSAttributeType {
        guard let text = element.attributes["attributeType"] else { return .undefinedAttributeType }
        guard let type = NSAttributeType(displayName: text) else {
            throw failure(element, "unknown attribute type '\(text)'")
        }
        return type
    }

    private func make(
        _ type: NSAttributeType, _ element: XMLTree, composites outer: [String]
    ) throws -> NSAttributeDescription {
        if flag(element, "derived") {
            let derived = NSDerivedAttributeDescription()
            let expression = try expression(required(element, "derivationExpression"), element)
            derived.derivationExpression = Self.derivation(expression)
            return derived
        }
        guard type == .compositeAttributeType else { return NSAttributeDescription() }
        let name = try required(element, "composite")
        guard !outer.contains(name) else { throw failure(element, "composite '\(name)' contains itself") }
        let composite = NSCompositeAttributeDescription()
        composite.compositeName = name
        composite.elements = try elements(of: self.composite(named: name, element), composites: outer + [name])
        return composite
    }

    /// The attributes that a composite is made of.
    func elements(of composite: XMLTree, composites: [String]) throws -> [NSAttributeDescription] {
        // Composites of composites could make a short file describe attributes without end.
        guard composites.count <= 16, expansion.spend(composite.children.count) else {
            throw failure(composite, "composites are nested too deeply, or have too many elements together")
        }
        return try composite.children(named: "attribute").map { child in
            let attribute = try attribute(child, composites: composites)
            attribute.spelling = SourceSpelling(source: child.attributes, canonical: XcodeAttributes.of(attribute))
            return attribute
        }
    }

    /// A count is a key path in the file and a function in compiled models.
    private static func derivation(_ expression: FoundationSupplement.NSExpression) -> FoundationSupplement.NSExpression
    {
        let count = ".@count"
        guard case .keyPath(nil, let path) = expression.storage, path.hasSuffix(count) else { return expression }
        let counted = FoundationSupplement.NSExpression(forKeyPath: String(path.dropLast(count.count)))
        return FoundationSupplement.NSExpression(forFunction: "count:", arguments: [counted])
    }

    /// The default value. Xcode's files are lenient (`NO` for a number, `0.0` for an integer), and so is this reader;
    /// what is no value of the type at all is left out, as Apple's compiler does.
    private func defaultValue(_ element: XMLTree, _ type: NSAttributeType) throws -> Any? {
        if type == .dateAttributeType {
            return element.attributes["defaultDateTimeInterval"].flatMap(Double.init)
                .map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        guard let text = element.attributes["defaultValueString"] else { return nil }
        switch type {
        case .stringAttributeType: return text
        case .booleanAttributeType: return Self.boolean(text).map { NSNumber(value: $0) }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return Self.integer(text).map { NSNumber(value: $0) }
        case .doubleAttributeType: return Self.number(text).map { NSNumber(value: $0) }
        case .floatAttributeType: return Self.number(text).map { NSNumber(value: Float($0)) }
        case .decimalAttributeType:
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { NSDecimalNumber(decimal: $0) }
        case .UUIDAttributeType: return UUID(uuidString: text)
        case .URIAttributeType: return text.isEmpty ? nil : URL(string: text)
        default: return nil
        }
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "YES", "TRUE": true
        case "NO", "FALSE": false
        default: number(text).map { $0 != 0 }
        }
    }

    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? number(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    private static func number(_ text: String) -> Double? {
        if let number = Double(text), number.isFinite { return number }
        switch text.uppercased() {
        case "YES", "TRUE": return 1
        case "NO", "FALSE": return 0
        default: return nil
        }
    }

    // MARK: Validation

    /// Turns the editor's limits into predicates on `SELF` with Apple's error codes.
    private func setValidation(_ attribute: NSAttributeDescription, _ element: XMLTree) throws {
        var rules: [(NSPredicate, Any)] = []
        let value = FoundationSupplement.NSExpression.expressionForEvaluatedObject()
        func add(
            _ left: FoundationSupplement.NSExpression, _ comparison: NSComparisonPredicate.Operator, _ limit: Any,
            _ code: Int
        ) {
            let right = FoundationSupplement.NSExpression(forConstantValue: limit)
            let predicate = FoundationSupplement.NSComparisonPredicate(
                leftExpression: left, rightExpression: right, modifier: .direct, type: comparison, options: [])
            rules.append((predicate, NSNumber(value: code)))
        }
        if attribute.attributeType == .stringAttributeType {
            let length = FoundationSupplement.NSExpression(forKeyPath: "length")
            if let n = try limit(element, "minValueString") { add(length, .greaterThanOrEqualTo, n, 1670) }
            if let n = try limit(element, "maxValueString") { add(length, .lessThanOrEqualTo, n, 1660) }
            if let pattern = element.attributes["regularExpressionString"], !pattern.isEmpty {
                add(value, .matches, pattern, 1680)
            }
        } else if attribute.attributeType == .dateAttributeType {
            if let date = date(element, "minDateTimeInterval") { add(value, .greaterThanOrEqualTo, date, 1640) }
            if let date = date(element, "maxDateTimeInterval") { add(value, .lessThanOrEqualTo, date, 1630) }
        } else {
            if let n = try limit(element, "minValueString") { add(value, .greaterThanOrEqualTo, n, 1620) }
            if let n = try limit(element, "maxValueString") { add(value, .lessThanOrEqualTo, n, 1610) }
        }
        if !rules.isEmpty { attribute.setValidation(rules.map(\.0), warnings: rules.map(\.1)) }
    }

    private func limit(_ element: XMLTree, _ name: String) throws -> NSNumber? {
        guard let text = element.attributes[name], !text.isEmpty else { return nil }
        if let whole = Int64(text) { return NSNumber(value: whole) }
        guard let number = Double(text), number.isFinite else {
            throw failure(element, "'\(name)' is '\(text)', not a number")
        }
        return NSNumber(value: number)
    }

    private func date(_ element: XMLTree, _ name: String) -> Date? {
        element.attributes[name].flatMap(Double.init).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}
