import CoreData

/// Which entities have other version hashes in another model or a store, and what makes the difference.
struct HashDifference {
    /// An entity whose hashes differ.
    struct Entity {
        /// The name: in the first model, else in the second.
        let name: String
        /// The hash in the first model; nil if it lacks the entity.
        let here: Data?
        /// The hash in the second; nil if it lacks the entity.
        let there: Data?
        /// What makes the difference; nil where only the hashes are known.
        let reasons: [Reason]?
    }

    /// What makes a difference.
    struct Reason {
        /// The property; nil for what is said of the entity itself.
        let property: String?
        /// What of it, as `ModelAspect` calls it; nil for a property that only one has.
        let aspect: String?
        /// In words: "here" is the first model.
        let text: String
    }

    private let other: ModelSource
    /// What the second is called in words.
    private let otherName: String
    private let entities: [Entity]

    /// Compares the hashes; `source` is "here".
    init(_ source: ModelSource, _ other: ModelSource) {
        self.other = other
        let names = (Self.name(of: source), Self.name(of: other))
        let label = names.0 == names.1 ? other.path : names.1
        otherName = label
        // What a store's metadata has decides; its model explains it only if it is that model.
        var comparisons: [String: EntityComparison] = [:]
        if let here = source.model, let there = other.model, source.modelFitsHashes, other.modelFitsHashes {
            for pair in ModelComparison(from: there, to: here).entities {
                if let name = pair.destination?.name, pair.source != nil { comparisons[name] = pair }
            }
        }
        let taken = Set(comparisons.values.compactMap(\.formerName))
        let all = Set(source.hashes.keys).union(
            other.hashes.keys.filter { source.hashes[$0] != nil || !taken.contains($0) })
        entities = all.sorted().compactMap { name in
            let here = source.hashes[name]
            let there = other.hashes[comparisons[name]?.formerName ?? name]
            guard here != there else { return nil }
            let isExplained = here == nil || there == nil
            return Entity(
                name: name, here: here, there: there,
                reasons: comparisons[name].map { Self.reasons($0, label) } ?? (isExplained ? [] : nil))
        }
    }

    private static func name(of source: ModelSource) -> String {
        URL(fileURLWithPath: source.path).lastPathComponent
    }

    /// Whether all hashes are the same.
    var isEmpty: Bool { entities.isEmpty }

    // MARK: Reasons

    private static func reasons(_ pair: EntityComparison, _ there: String) -> [Reason] {
        let (changes, properties) = pair.alterations
        var reasons: [Reason] = []
        if let former = pair.formerName {
            reasons.append(Reason(property: nil, aspect: "name", text: "the entity is '\(former)' in \(there)"))
        }
        if pair.inheritsAlteration {
            let parent = pair.destination?.superentity?.name ?? pair.source?.superentity?.name ?? ""
            reasons.append(
                Reason(property: nil, aspect: "superentity", text: "the hash of its super-entity '\(parent)' differs"))
        }
        reasons += changes.map { Reason(property: nil, aspect: $0.aspect.rawValue, text: words($0, there)) }
        return reasons + properties.flatMap { Self.reasons($0, there) }
    }

    private static func reasons(_ property: PropertyComparison, _ there: String) -> [Reason] {
        let what = "\(property.kindName) '\(property.name)'"
        guard property.destination != nil else {
            return [Reason(property: property.name, aspect: nil, text: "\(what) is in \(there) only")]
        }
        guard property.source != nil else {
            return [Reason(property: property.name, aspect: nil, text: "\(what) is here only")]
        }
        let renamed = property.formerName.map {
            [Reason(property: property.name, aspect: "name", text: "\(what) is '\($0)' in \(there)")]
        }
        return (renamed ?? [])
            + property.changes.filter(\.altersVersionHash).map {
                Reason(property: property.name, aspect: $0.aspect.rawValue, text: "\(what): \(words($0, there))")
            }
    }

    private static func words(_ change: ModelChange, _ there: String) -> String {
        let subject = change.aspect.isAdjective ? "" : "\(change.subject) "
        return "\(subject)is \(change.new ?? "missing") here, \(change.old ?? "missing") in \(there)"
    }

    // MARK: Output

    /// The keys are documented in `docs/JSON.md`.
    var json: [(String, JSON)] {
        [
            ("other", .string(other.path)), ("same", .bool(isEmpty)),
            ("otherChecksum", .string(VersionHash.checksum(other.hashes))),
            (
                "differences",
                .array(
                    entities.map { entity in
                        .object([
                            ("name", .string(entity.name)), ("versionHash", .text(entity.here?.hexadecimal)),
                            ("otherVersionHash", .text(entity.there?.hexadecimal)),
                            ("reasons", entity.reasons.map { .array($0.map(Self.json)) } ?? .null),
                        ])
                    })
            ),
        ]
    }

    private static func json(_ reason: Reason) -> JSON {
        .object([
            ("property", .text(reason.property)), ("aspect", .text(reason.aspect)), ("text", .string(reason.text)),
        ])
    }

    /// For people.
    var lines: [String] {
        if isEmpty { return ["\(otherName) has the same hashes."] }
        let title = "\(otherName) has other hashes of \(Amounts.counted(entities.count, "entity", plural: "entities")):"
        return [title] + entities.flatMap { lines(of: $0) }.map(singleLine)
    }

    private func lines(of entity: Entity) -> [String] {
        if entity.there == nil { return ["  \(entity.name): is here only"] }
        if entity.here == nil { return ["  \(entity.name): is in \(otherName) only"] }
        guard let reasons = entity.reasons else {
            return ["  \(entity.name): which property makes the difference can't be told without the other's model"]
        }
        return ["  \(entity.name):"] + reasons.map { "    \($0.text)" }
    }
}
