/// Something in a model that doesn't work, or may not.
package struct ModelFinding: Sendable {
    /// How bad it is.
    package enum Severity: String, Sendable {
        /// It doesn't work.
        case error
        /// It works, and surprises later.
        case warning
    }

    /// Which rule found it.
    package let rule: ModelRule
    /// How bad it is.
    package let severity: Severity
    /// The entity's name, where it is about one.
    package let entity: String?
    /// The property's name, where it is about one.
    package let property: String?
    /// The line in the model's XML, from 1; nil for models in other forms.
    package let line: Int?
    /// What is wrong and what comes of it, in a sentence without a full stop.
    package let message: String

    init(
        _ rule: ModelRule, severity: Severity? = nil, entity: String? = nil, property: String? = nil, line: Int? = nil,
        _ message: String
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.entity = entity
        self.property = property
        self.line = line
        self.message = message
    }

    func at(line: Int?) -> ModelFinding {
        ModelFinding(rule, severity: severity, entity: entity, property: property, line: line, message)
    }

    /// What it is about: `City.country`, `City`, or nothing.
    package var place: String? {
        guard let entity else { return property }
        return property.map { "\(entity).\($0)" } ?? entity
    }
}
