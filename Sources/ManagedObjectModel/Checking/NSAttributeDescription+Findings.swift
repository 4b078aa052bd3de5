import FoundationSupplement

extension NSAttributeDescription {
    /// What is wrong with the attribute itself.
    var findings: [ModelFinding] {
        if let derived = self as? NSDerivedAttributeDescription { return derived.derivationFindings }
        return typeFindings + transformerFindings + defaultFindings
    }

    fileprivate func finding(
        _ rule: ModelRule, severity: ModelFinding.Severity? = nil, _ message: String
    ) -> ModelFinding {
        ModelFinding(rule, severity: severity, entity: entity?.name, property: name, message)
    }

    fileprivate var subject: String { "'\(entity?.name ?? "").\(name)'" }

    private var typeFindings: [ModelFinding] {
        guard attributeType == .undefinedAttributeType, !isTransient else { return [] }
        return [finding(.missingType, "\(subject) is stored, but has no type")]
    }

    /// The transformer that is used where none is named, under its two names, and the one that it goes back to.
    private static let insecure: Set<String> = [
        "", "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName", "NSUnarchiveFromData",
        "NSUnarchiveFromDataTransformerName",
    ]

    private var transformerFindings: [ModelFinding] {
        guard attributeType == .transformableAttributeType, !isTransient,
            Self.insecure.contains(valueTransformerName ?? "")
        else { return [] }
        let named = (valueTransformerName ?? "").isEmpty ? "no value transformer" : "'\(valueTransformerName ?? "")'"
        return [
            finding(
                .insecureTransformer,
                "\(subject) has \(named), so that any class in the data is decoded; NSSecureUnarchiveFromData or a "
                    + "subclass of it is safe")
        ]
    }

    // MARK: Default values

    private var defaultFindings: [ModelFinding] {
        guard let value = flattened(defaultValue), let text = defaultText else { return [] }
        guard fits(value) else {
            return [
                finding(
                    .defaultValue, "\(subject) has the default value \(text), which is no \(attributeType.displayName)")
            ]
        }
        for predicate in validationPredicates {
            let reason: String?
            do {
                reason = try predicate.evaluateThrowing(with: value, variables: [:]) ? nil : "doesn't fulfil"
            } catch {
                reason = "can't be compared (\(error)) with"
            }
            guard let reason else { continue }
            return [
                finding(
                    .brokenDefault,
                    "\(subject) has the default value \(text), which \(reason) its own validation, "
                        + predicate.formatText)
            ]
        }
        return []
    }

    private func fits(_ value: Any) -> Bool {
        switch attributeType {
        case .integer16AttributeType: whole(value).map { Int16(exactly: $0) != nil } ?? false
        case .integer32AttributeType: whole(value).map { Int32(exactly: $0) != nil } ?? false
        case .integer64AttributeType: whole(value) != nil
        case .floatAttributeType, .doubleAttributeType: (value as? NSNumber)?.doubleValue.isFinite ?? false
        case .decimalAttributeType, .booleanAttributeType: value is NSNumber || value is Decimal
        case .stringAttributeType: value is String
        case .dateAttributeType: value is Date
        case .binaryDataAttributeType: value is Data
        case .UUIDAttributeType: value is UUID
        case .URIAttributeType: value is URL
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType: true
        }
    }

    private func whole(_ value: Any) -> Int64? {
        guard let number = value as? NSNumber else { return nil }
        return Int64(exactly: number.doubleValue) != nil || number.doubleValue.magnitude > 9e15
            ? number.int64Value : nil
    }
}

extension NSAttributeType {
    /// Whether values are whole numbers.
    var isWhole: Bool {
        self == .integer16AttributeType || self == .integer32AttributeType || self == .integer64AttributeType
    }
}

extension NSDerivedAttributeDescription {
    fileprivate var derivationFindings: [ModelFinding] {
        guard let derivationExpression else { return [finding(.derivation, "\(subject) is derived from nothing")] }
        return derivationExpression.keyPaths.compactMap { path in
            guard let missing = entity?.missingKey(in: path) else { return nil }
            return finding(
                .derivation,
                "\(subject) is derived from '\(path)', but '\(missing.key)' is not a property of '\(missing.entity)'")
        }
    }
}

extension FoundationSupplement.NSExpression {
    /// The key paths in the expression and its arguments.
    fileprivate var keyPaths: [String] {
        if let path = plainKeyPath { return [path] }
        return (arguments ?? []).flatMap(\.keyPaths)
    }
}

extension NSEntityDescription {
    /// The first key of a path that leads nowhere, and the entity that should have it.
    fileprivate func missingKey(in path: String) -> (key: String, entity: String)? {
        var entity: NSEntityDescription? = self
        for key in path.split(separator: ".").map(String.init) where !key.hasPrefix("@") {
            guard let current = entity else { return nil }  // behind an attribute: keys of its value
            guard let property = current.propertiesByName[key] else { return (key, current.name ?? "") }
            entity = (property as? NSRelationshipDescription)?.destinationEntity
        }
        return nil
    }
}
