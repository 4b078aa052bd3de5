import Foundation

/// What an import did.
public struct ImportReport: Sendable {
    /// What was done for one entity.
    public struct Entity: Sendable {
        /// The entity's name.
        public var name: String
        /// How many rows were inserted.
        public var inserted: Int
    }

    /// The entities that got rows, by name.
    public var entities: [Entity] = []
    /// What a reader of the report should know, such as digits that a store can't keep. At most 20.
    public var warnings: [String] = []
    /// How many files were read.
    public var files = 0
    /// How many bytes were read.
    public var bytes = 0
    /// How long it took, in seconds.
    public var seconds = 0.0
    /// The size of the store's file, in bytes.
    public var storeBytes = 0

    /// An empty report.
    public init() {}
}
