import FoundationSupplement

/// Copies entities that refer to each other: what led to a copied one leads to its copy.
///
/// Entities of several models may be copied together. Of those with the same name, which must say the same, the first
/// is copied and stands for all.
struct EntityCopier {
    /// The copies, in the order of the originals.
    private(set) var copies: [NSEntityDescription] = []
    private var originals: [NSEntityDescription] = []
    private var copiesByName: [String: NSEntityDescription] = [:]

    init(_ entities: [NSEntityDescription]) {
        for entity in entities where copy(of: entity) == nil {
            guard let copy = entity.copy() as? NSEntityDescription else { continue }
            copies.append(copy)
            originals.append(entity)
            if let name = entity.name { copiesByName[name] = copy }
        }
        for entity in entities { inherit(entity) }
        for (original, copy) in zip(originals, copies) { connect(original, copy) }
    }

    /// The copy that stands for an entity; nil if it wasn't copied.
    func copy(of entity: NSEntityDescription?) -> NSEntityDescription? {
        guard let entity else { return nil }
        if let name = entity.name { return copiesByName[name] }
        return originals.firstIndex { $0 === entity }.map { copies[$0] }
    }

    /// A copy of a request for the copy of its entity.
    func copy(of request: NSFetchRequest<any NSFetchRequestResult>) -> NSFetchRequest<any NSFetchRequestResult> {
        guard let copy = request.copy() as? NSFetchRequest<any NSFetchRequestResult> else { return request }
        if let entity = self.copy(of: request.entity) { copy.entity = entity }
        return copy
    }

    private func inherit(_ original: NSEntityDescription) {
        guard let copy = copy(of: original) else { return }
        let known = Set(copy.subentities.map(ObjectIdentifier.init))
        let more = original.subentities.compactMap { self.copy(of: $0) }.filter {
            !known.contains(ObjectIdentifier($0))
        }
        if !more.isEmpty { copy.subentities += more }
    }

    private func connect(_ original: NSEntityDescription, _ copy: NSEntityDescription) {
        for case let relationship as NSRelationshipDescription in copy.declaredProperties {
            let inverse = relationship.inverseRelationship
            if let destination = self.copy(of: relationship.destinationEntity) {
                relationship.destinationEntity = destination
            }
            let owner = inverse.flatMap { self.copy(of: $0.entity) }
            let other = owner?.declaredProperties.first { $0.name == inverse?.name }
            if let other = other as? NSRelationshipDescription { relationship.inverseRelationship = other }
        }
        for case let fetched as NSFetchedPropertyDescription in copy.declaredProperties {
            fetched.fetchRequest = fetched.fetchRequest.map { self.copy(of: $0) }
        }
        // Indexes may be of inherited properties, which the copy has only now.
        copy.indexes = original.indexes.map { $0.copy(in: copy) }
    }
}
