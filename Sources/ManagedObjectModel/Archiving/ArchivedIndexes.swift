import FoundationSupplement

/// How archives repeat an entity's indexes for systems of several ages.
///
/// The compiler marks an attribute that has an index of its own, of the older or the newer kind, as `NSIsIndexed`. The
/// mark in turn gives the attribute an index with its own name: in a `.mom` unless there is another for it, in a store's
/// cache always. An index over several properties is repeated among the compound ones.
enum ArchivedIndexes {
    /// The attribute that an index is for, and for it alone.
    static func onlyAttribute(of index: NSFetchIndexDescription) -> NSAttributeDescription? {
        guard index.elements.count == 1, index.partialIndexPredicate == nil else { return nil }
        return index.elements[0].property as? NSAttributeDescription
    }

    /// Whether an index only repeats the mark on its attribute.
    static func isImplied(_ index: NSFetchIndexDescription, in entity: NSEntityDescription) -> Bool {
        guard let attribute = onlyAttribute(of: index), index.elements[0].collationType == .binary,
            index.elements[0].isAscending
        else { return false }
        return attribute.isIndexedByAttribute && index.name == attribute.name
    }

    /// The names of the attributes with an index of their own.
    static func indexedNames(of entity: NSEntityDescription) -> Set<String> {
        Set(entity.indexes.compactMap { onlyAttribute(of: $0)?.name })
    }

    /// The indexes over several properties in the older form.
    static func compounds(of indexes: [NSFetchIndexDescription]) -> [[String]] {
        indexes.filter { $0.elements.count > 1 }.map { $0.elements.compactMap(\.propertyName) }
    }

    /// The indexes that marks on attributes give: in a `.mom` for those without another index, in a cache for all.
    static func implied(in entity: NSEntityDescription, besides: Set<String>) -> [NSFetchIndexDescription] {
        let attributes = entity.declaredProperties.compactMap { $0 as? NSAttributeDescription }
        let taken = besides.union(entity.indexes.map(\.name))
        return attributes.filter { $0.isIndexedByAttribute && !taken.contains($0.name) }
            .sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
            .map { attribute in
                let element = NSFetchIndexElementDescription(property: attribute, collationType: .binary)
                return NSFetchIndexDescription(name: attribute.name, elements: [element])
            }
    }
}
