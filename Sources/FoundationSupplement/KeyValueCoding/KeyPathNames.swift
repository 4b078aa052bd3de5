/// The keys that Swift key paths stand for: `\Note.author.name` is `author.name`.
///
/// On Apple's systems the runtime knows them. Here generated classes register their table:
///
/// ```swift
/// KeyPathNames.register([\Note.name: "name", \Note.author: "author"])
/// ```
public enum KeyPathNames {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var names: [AnyKeyPath: String] = [:]

    /// Adds keys for key paths.
    public static func register<Root>(_ names: [PartialKeyPath<Root>: String]) {
        lock.withLock {
            for (keyPath, name) in names { Self.names[keyPath] = name }
        }
    }

    /// The key for a key path: the registered one, or what the runtime tells about stored properties; nil when neither
    /// knows it.
    public static func name(for keyPath: AnyKeyPath) -> String? {
        if let name = lock.withLock({ names[keyPath] }) { return name }
        // `\Note.author?.name` for stored properties, `\Note.<computed 0x… (String)>` for others.
        let description = "\(keyPath)"
        let prefix = "\\\(type(of: keyPath).rootType)."
        guard description.hasPrefix(prefix) else { return nil }
        let path = description.dropFirst(prefix.count).filter { $0 != "?" && $0 != "!" }
        let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        return isPlain && !path.isEmpty ? String(path) : nil
    }
}
