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
}
