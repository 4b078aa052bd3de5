/// One thing that a model says of an entity, a property or itself, in words.
struct ModelFact {
    let aspect: ModelAspect
    /// Which of several, where there may be several of the kind: the name of an index, a key of the user info.
    let key: String?
    /// What it says; facts that say nothing are left out.
    let text: String
    /// What version hashes are made of here; nil where they don't depend on it.
    let hashed: String?

    init(_ aspect: ModelAspect, _ text: String, key: String? = nil, hashed: String? = nil) {
        self.aspect = aspect
        self.key = key
        self.text = text
        self.hashed = hashed
    }

    /// A fact with a text where there is one.
    static func list(_ aspect: ModelAspect, _ text: String?, isHashed: Bool = false) -> [ModelFact] {
        guard let text, !text.isEmpty else { return [] }
        return [ModelFact(aspect, text, hashed: isHashed ? text : nil)]
    }

    /// A fact of the one or the other kind, such as "optional" or "mandatory".
    static func either(
        _ aspect: ModelAspect, _ flag: Bool, _ yes: String, _ no: String, isHashed: Bool = false
    ) -> ModelFact {
        ModelFact(aspect, flag ? yes : no, hashed: isHashed ? (flag ? yes : no) : nil)
    }

    static func userInfo(_ info: [AnyHashable: Any]?) -> [ModelFact] {
        (info ?? [:]).map { ModelFact(.userInfo, "'\($0.value)'", key: "\($0.key)") }
    }
}
