/// A row as it was read from a store: never changed, so that objects and snapshots can share it.
package struct Row {
    /// `Z_OPT`: how often the row was saved.
    package let version: Int64
    /// By slot of the entity's layout.
    package let values: [SlotValue]

    package init(version: Int64, values: [SlotValue]) {
        self.version = version
        self.values = values
    }
}
