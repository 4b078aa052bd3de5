/// What an evaluation can see: the object and the variables.
///
/// It is one object for a whole evaluation, passed from level to level; only a subquery makes another for its elements.
package final class EvaluationContext {
    package let object: Any?
    private var values: [String: Any?]
    private let parent: EvaluationContext?
    /// The dictionary that the caller of a block expression passed; assignments are written to it too.
    let bag: NSMutableDictionary?
    private var depth: Int

    package init(object: Any?, variables: [String: Any?] = [:], bag: NSMutableDictionary? = nil) {
        self.object = object
        self.bag = bag
        values = variables
        parent = nil
        depth = 0
    }

    private init(_ parent: EvaluationContext, _ name: String, _ value: Any?) {
        object = parent.object
        bag = parent.bag
        values = [name: value]
        depth = parent.depth
        self.parent = parent
    }

    /// The context for one element of a subquery: outer variables stay visible, a variable of the same name doesn't.
    func binding(_ name: String, to value: Any?) -> EvaluationContext { EvaluationContext(self, name, value) }

    /// How many expressions may be inside each other. Each takes stack; a format has far fewer.
    package static let maximumDepth = 400

    /// Evaluates something that lies one level deeper.
    ///
    /// - Throws: ``PredicateEvaluationError`` where that would be too deep for the stack.
    func descend<Value>(_ evaluate: () throws -> Value) throws -> Value {
        guard depth < Self.maximumDepth else { throw PredicateEvaluationError("The expression is nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        return try evaluate()
    }

    /// The value of a variable.
    ///
    /// - Throws: ``PredicateEvaluationError`` when it has none.
    func value(of variable: String) throws -> Any? {
        var place: EvaluationContext? = self
        while let context = place {
            if let value = context.values[variable] { return value }
            place = context.parent
        }
        throw PredicateEvaluationError("Can't get value for '\(variable)' in bindings")
    }

    /// Gives a variable a value for the rest of the evaluation.
    func assign(_ value: Any?, to variable: String) {
        values[variable] = .some(value)
        bag?[variable] = value
    }

    /// All variables, as Foundation's block predicates take them.
    var bindings: [String: Any]? {
        var result: [String: Any] = [:]
        var place: EvaluationContext? = self
        while let context = place {
            for (name, value) in context.values where result[name] == nil { result[name] = value ?? NSNull() }
            place = context.parent
        }
        return result.isEmpty ? nil : result
    }

    var variables: [String: Any?] { (bindings ?? [:]).mapValues { $0 is NSNull ? nil : $0 } }
}

extension NSMutableDictionary? {
    /// The entries whose keys are strings.
    var variableValues: [String: Any?] {
        var values: [String: Any?] = [:]
        for (key, value) in self ?? [:] {
            if case .string(let name) = PredicateValue(key) { values[name] = .some(value) }
        }
        return values
    }
}
