import FoundationSupplement

/// How Apple's systems should sync a store. Kept for programs that set it; without effect here.
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The name of the container in CloudKit.
    public let containerIdentifier: String

    /// Creates options for a container in CloudKit.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
    }
}
