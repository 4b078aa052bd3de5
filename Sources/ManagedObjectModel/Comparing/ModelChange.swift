/// One thing that two models say differently of the same entity or property, or of themselves.
package struct ModelChange: Sendable {
    /// What it is about.
    package let aspect: ModelAspect
    /// Which of several, where there may be several of the kind: the name of an index, a key of the user info.
    package let key: String?
    /// What the first model says; nil for nothing.
    package let old: String?
    /// What the second model says; nil for nothing.
    package let new: String?
    /// Whether the version hash depends on it.
    package let altersVersionHash: Bool

    /// The differences between two lists of facts, in the order of the aspects.
    static func list(from source: [ModelFact], to destination: [ModelFact]) -> [ModelChange] {
        struct Place: Hashable {
            let aspect: ModelAspect
            let key: String?
        }
        func byPlace(_ facts: [ModelFact]) -> [Place: ModelFact] {
            Dictionary(
                facts.map { (Place(aspect: $0.aspect, key: $0.key), $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (old, new) = (byPlace(source), byPlace(destination))
        let order = Dictionary(uniqueKeysWithValues: ModelAspect.allCases.enumerated().map { ($1, $0) })
        return Set(old.keys).union(new.keys).filter { old[$0]?.text != new[$0]?.text }
            .sorted { a, b in
                a.aspect == b.aspect
                    ? (a.key ?? "") < (b.key ?? "") : order[a.aspect, default: 0] < order[b.aspect, default: 0]
            }
            .map { place in
                ModelChange(
                    aspect: place.aspect, key: place.key, old: old[place]?.text, new: new[place]?.text,
                    altersVersionHash: old[place]?.hashed != new[place]?.hashed)
            }
    }

    /// What it is about, in words.
    package var subject: String { key.map { "\(aspect.noun) '\($0)'" } ?? aspect.noun }

    /// What happened, in words: `type changed from Integer 32 to Integer 64`.
    package var words: String {
        switch (old, new) {
        case (let old?, let new?) where aspect.isAdjective: "was \(old), is now \(new)"
        case (let old?, let new?): "\(subject) changed from \(old) to \(new)"
        case (nil, let new?): key == nil ? "\(subject) is now \(new)" : "\(subject) was added: \(new)"
        case (let old?, nil): "\(subject) was removed: \(old)"
        case (nil, nil): subject
        }
    }
}
