import FoundationSupplement
import ManagedObjectModel

/// The relationships to read along with a fetch: key paths, with what they have in common taken together.
struct PrefetchTree {
    /// By the names of relationships, in the order in which they were asked for.
    private(set) var branches: [(name: String, rest: PrefetchTree)] = []
    var isEmpty: Bool { branches.isEmpty }

    init() {}

    /// - Throws: 134060 for a key path that doesn't lead along relationships from the entity.
    init(_ paths: [String], _ entity: NSEntityDescription) throws {
        for path in paths {
            var place: NSEntityDescription? = entity
            let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            for step in steps {
                guard let relationship = place?.relationship(step) else {
                    throw CocoaError.request("keypath \(path) not found in entity \(entity.name ?? "")")
                }
                place = relationship.destinationEntity
            }
            add(steps[...])
        }
    }

    private mutating func add(_ steps: ArraySlice<String>) {
        guard let first = steps.first else { return }
        let at = branches.firstIndex { $0.name == first } ?? branches.count
        if at == branches.count { branches.append((first, PrefetchTree())) }
        branches[at].rest.add(steps.dropFirst())
    }
}

extension NSEntityDescription {
    /// A relationship of the entity, or of one that inherits from it.
    func relationship(_ name: String) -> NSRelationshipDescription? {
        if let own = propertiesByName[name] { return own as? NSRelationshipDescription }
        return subentities.lazy.compactMap { $0.relationship(name) }.first
    }
}
