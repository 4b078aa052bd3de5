import CoreData

/// What `--sort` says: key paths, each with a direction.
struct SortKeys {
    /// Key path and whether small values come first.
    private let keys: [(path: String, isAscending: Bool)]

    /// Reads `name,-population` and `name,population:desc`.
    init(_ text: String) throws {
        keys = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            var path = part
            var isAscending = true
            if path.hasPrefix("-") { (path, isAscending) = (path.dropFirst(), false) }
            if let colon = path.firstIndex(of: ":") {
                let direction = path[path.index(after: colon)...]
                guard ["asc", "desc"].contains(direction) else {
                    throw InvalidValue(hint: "'\(direction)' is no direction: please write ':asc' or ':desc'.")
                }
                if direction == "desc" { isAscending.toggle() }
                path = path[..<colon]
            }
            guard !path.isEmpty else { throw InvalidValue(hint: "A key is missing.") }
            return (String(path), isAscending)
        }
    }

    /// The descriptors for an entity.
    ///
    /// - Throws: `UsageError` for a key that there isn't, or that isn't an attribute.
    func descriptors(for entity: NSEntityDescription) throws -> [NSSortDescriptor] {
        try keys.map { path, isAscending in
            guard try QueryColumn(path, of: entity).isAttribute else {
                throw UsageError(
                    message: "'\(path)' of '\(entity.name ?? "")' is a relationship; sort by one of its keys")
            }
            return NSSortDescriptor(key: path, ascending: isAscending)
        }
    }
}
