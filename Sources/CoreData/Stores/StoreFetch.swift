import FoundationSupplement
import ManagedObjectModel

/// What a store is asked to find: a fetch request without its result type and without what only a context can do.
package struct StoreFetch {
    package var entity: NSEntityDescription
    package var includesSubentities = true
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor] = []
    package var limit = 0
    package var offset = 0
    /// Whether the rows are wanted, or only their keys.
    package var includesValues = true

    package init(entity: NSEntityDescription) { self.entity = entity }

    /// The same without a window: what has to be found where the window is cut out later.
    package var unlimited: StoreFetch {
        var copy = self
        (copy.offset, copy.limit) = (0, 0)
        return copy
    }

    /// The window of what was found without one.
    package func window<Element>(of found: [Element]) -> [Element] {
        guard offset > 0 || limit > 0 else { return found }
        return Array(found.dropFirst(offset).prefix(limit > 0 ? limit : .max))
    }
}
