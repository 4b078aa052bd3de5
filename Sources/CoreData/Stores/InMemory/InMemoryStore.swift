import FoundationSupplement

/// A store that lives as long as its coordinator keeps it.
package final class InMemoryStore: SlotStore {
    package override var type: String { NSInMemoryStoreType }

    package override func load() {}

    package override func save() {}
}
