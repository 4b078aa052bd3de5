/// A version of Apple's framework, by what its stores are made.
///
/// New stores are of the current era. Others are there to be compared with stores that Apple's framework made then.
package struct StoreEra: Sendable {
    /// `NSPersistenceFrameworkVersion`.
    package let frameworkVersion: Int

    package init(frameworkVersion: Int) { self.frameworkVersion = frameworkVersion }

    /// macOS 14's.
    package static let current = StoreEra(frameworkVersion: 1344)

    /// Whether a store keeps its model (`Z_MODELCACHE`).
    var keepsModel: Bool { frameworkVersion >= 637 }
    /// Whether indexes of attributes are named `Z_Entity_attribute`, and not `ZTABLE_ZCOLUMN_INDEX`; unique ones are then
    /// indexes as well, and not constraints of the table.
    var namesIndexesByEntity: Bool { frameworkVersion >= 836 }

    /// The keys of metadata that a store of the current era has, and one of this era doesn't.
    var missingMetadata: [String] {
        (frameworkVersion >= 973 ? [] : ["NSStoreModelVersionHashesDigest"])
            + (frameworkVersion >= 1327 ? [] : ["NSStoreModelVersionChecksumKey"])
    }

    /// Whether metadata say which version may open the store.
    var limitsVersions: Bool { frameworkVersion >= 1513 }
}
