/// What an evaluation can see: the object and the variables.
package struct EvaluationContext {
    package let object: Any?
    private let scope: Scope
    /// The dictionary that the caller of a block expression passed; assignments are written to it too.
    let bag: NSMutableDictionary?

    package init(object: Any?, variables: [String: Any?], bag: NSMutableDictionary? = nil) {
        self.object = object
        self.bag = bag
        scope = Scope(variables, parent: nil)
    }

    private init(object: Any?, scope: Scope, bag: NSMutableDictionary?) {
        self.object = object
        self.scope = scope
        self.bag = bag
    }

    /// The context for one element of a subquery: outer variables stay visible, a variable of the same name doesn't.
    func binding(_ name: String, to value: Any?) -> EvaluationContext {
        EvaluationContext(object: object, scope: Scope([name: value], parent: scope), bag: bag)
    }

    /// The value of a variable.
    ///
    /// - Throws: ``PredicateEvaluationError`` when it has none.
    func value(of variable: String) throws -> Any? {
        var place: Scope? = scope
        while let scope = place {
            if let value = scope.values[variable] { return value }
            place = scope.parent
        }
        throw PredicateEvaluationError("Can't get value for '\(variable)' in bindings")
    }

    /// Gives a variable a value for the rest of the evaluation.
    func assign(_ value: Any?, to variable: String) {
        scope.values[variable] = value
        bag?[variable] = value
    }

    /// All variables, as Foundation's block predicates take them.
    var bindings: [String: Any]? {
        var values: [String: Any] = [:]
        var place: Scope? = scope
        while let scope = place {
            for (name, value) in scope.values where values[name] == nil { values[name] = value ?? NSNull() }
            place = scope.parent
        }
        return values.isEmpty ? nil : values
    }

    var variables: [String: Any?] { (bindings ?? [:]).mapValues { $0 is NSNull ? nil : $0 } }

    private final class Scope {
        var values: [String: Any?]
        let parent: Scope?

        init(_ values: [String: Any?], parent: Scope?) {
            self.values = values
            self.parent = parent
        }
    }
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
