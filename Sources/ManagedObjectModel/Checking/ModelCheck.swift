import FoundationSupplement

/// Looks for what is wrong with a model, and for what bites later.
///
/// ```swift
/// let check = try ModelCheck(contentsOf: url)
/// for finding in check.findings { print(finding.rule.rawValue, finding.message) }
/// ```
/// A model in Xcode's XML is checked also where its reader refuses it: each fault becomes a finding, and what it stands
/// in is left out of the further check.
package struct ModelCheck {
    /// The model; of a file with faults, what is left of it. Nil if nothing can be made of it.
    package let model: NSManagedObjectModel?
    /// The file, where lines count; nil for a model that was not read from XML.
    package let path: String?
    /// Which entities CloudKit mirrors by what the model itself says.
    let markedForCloud: CloudScope
    private let refusals: [ModelFinding]
    private let places: ModelPlaces

    /// Which entities are to be checked for what CloudKit doesn't take.
    enum CloudScope {
        case none
        case all
        case configurations(Set<String>)
    }

    /// Checks a model that is in memory.
    package init(_ model: NSManagedObjectModel) {
        self.init(model: model, path: nil, markedForCloud: .none, refusals: [], places: ModelPlaces())
    }

    /// Checks a model file of any form.
    ///
    /// - Throws: `ModelFileError` for what is no model: no XML, or a damaged archive.
    package init(contentsOf url: URL) throws {
        let file = try ModelLocation(url).current().file
        guard file.form == .xml else {
            self.init(try file.read())
            return
        }
        let path = file.url.path
        let tree = try XMLTree.parse(file.contents(), path: path)
        guard tree.name == "model" else {
            throw ModelFileError(
                path: path, line: tree.line,
                reason: "is not a Core Data model: the root element is '\(tree.name)', not 'model'")
        }
        var source = ModelSourceCheck(tree)
        let repaired = source.check()
        var model: NSManagedObjectModel?
        var unreadable: [ModelFinding] = []
        do {
            let read = try ModelXMLReader.read(repaired, path: path)
            source.compareDefaults(with: read)
            model = read
        } catch let error as ModelFileError {
            unreadable = [ModelFinding(.unreadable, line: error.line, error.reason)]
        }
        self.init(
            model: model, path: path, markedForCloud: source.cloudScope, refusals: source.findings + unreadable,
            places: ModelPlaces(tree))
    }

    private init(
        model: NSManagedObjectModel?, path: String?, markedForCloud: CloudScope, refusals: [ModelFinding],
        places: ModelPlaces
    ) {
        self.model = model
        self.path = path
        self.markedForCloud = markedForCloud
        self.refusals = refusals
        self.places = places
    }

    /// What is wrong, in the order of the file or of names.
    ///
    /// - Parameters:
    ///   - configurations: the configurations whose entities are checked; none for all entities.
    ///   - cloud: whether to check these entities for what CloudKit doesn't take, whatever the model says.
    ///   - old: an older model, from which stores are migrated.
    package func findings(
        configurations: [String] = [], cloud: Bool = false, since old: NSManagedObjectModel? = nil
    ) -> [ModelFinding] {
        var all = refusals
        if let model {
            let members = configurations.flatMap { model.entities(forConfigurationName: $0) ?? [] }
            let entities = configurations.isEmpty ? model.entities : model.entities.filter { members.contains($0) }
            for entity in entities { all += Self.findings(of: entity) }
            for entity in entities where cloud || isMirrored(entity, model) { all += entity.cloudFindings }
            all += Self.findings(of: model, entities)
            if let old { all += Self.findings(from: old, to: model, entities) }
        }
        // An inverse that was refused is not one that is missing.
        let refused = Set(refusals.filter { $0.rule == .unknownInverse }.map(\.place))
        all.removeAll { [.noInverse, .cloudInverse].contains($0.rule) && refused.contains($0.place) }
        let placed = all.map { $0.line == nil ? $0.at(line: places.line(of: $0)) : $0 }
        return placed.sorted { Self.key($0) < Self.key($1) }
    }

    private static func key(_ finding: ModelFinding) -> (Int, String, String, String) {
        (finding.line ?? Int.max, finding.entity ?? "", finding.property ?? "", finding.rule.rawValue)
    }

    private func isMirrored(_ entity: NSEntityDescription, _ model: NSManagedObjectModel) -> Bool {
        switch markedForCloud {
        case .none: false
        case .all: true
        case .configurations(let names):
            names.contains { model.entities(forConfigurationName: $0)?.contains(entity) ?? false }
        }
    }

    private static func findings(of entity: NSEntityDescription) -> [ModelFinding] {
        let own = entity.nameFindings + entity.inheritanceFindings + entity.indexFindings + entity.constraintFindings
        return own
            + entity.declaredProperties.flatMap { property -> [ModelFinding] in
                switch property {
                case let attribute as NSAttributeDescription: attribute.findings
                case let relationship as NSRelationshipDescription: relationship.findings
                default: []
                }
            }
    }
}
