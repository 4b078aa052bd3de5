import FoundationSupplement

/// A look at an archive before Foundation's unarchiver gets it.
package enum ForeignArchive {
    /// Whether an archive holds objects of these classes only, none of which leads back to itself.
    package static func isHarmless(_ data: Data, classes: Set<String>) -> Bool {
        guard BinaryPropertyList.isBinaryPropertyList(data), let archive = try? KeyedArchive(data, path: "") else {
            return false
        }
        var check = Check(archive: archive, classes: classes)
        return (0..<archive.objects.count).allSatisfy { check.isHarmless($0) }
    }

    private struct Check {
        let archive: KeyedArchive
        let classes: Set<String>
        private var states: [State]

        private enum State { case unseen, open, done }

        init(archive: KeyedArchive, classes: Set<String>) {
            self.archive = archive
            self.classes = classes
            states = Array(repeating: .unseen, count: archive.objects.count)
        }

        /// Follows references from an object, depth first. An object met again while it is open is a cycle.
        mutating func isHarmless(_ uid: Int, depth: Int = 0) -> Bool {
            guard states.indices.contains(uid), depth < 500 else { return false }
            switch states[uid] {
            case .done: return true
            case .open: return false
            case .unseen: break
            }
            states[uid] = .open
            defer { states[uid] = .done }
            guard let fields = archive.objects[uid].dictionary else { return true }
            // A description of a class refers to nothing.
            if fields["$classname"] != nil { return true }
            guard let name = try? archive.className(fields), classes.contains(name) else { return false }
            return references(.dictionary(fields)).allSatisfy { isHarmless($0, depth: depth + 1) }
        }

        private func references(_ value: PropertyListValue) -> [Int] {
            switch value {
            case .uid(let uid): [uid]
            case .array(let values): values.flatMap(references)
            case .dictionary(let values): values.values.flatMap(references)
            default: []
            }
        }
    }
}
