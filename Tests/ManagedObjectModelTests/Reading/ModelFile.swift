import Foundation
import TestSupport

@testable import ManagedObjectModel

/// Models as Xcode writes them, made from a few lines.
enum ModelFile {
    static func xml(_ body: String, identifier: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" \
        systemVersion="23F79" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
        userDefinedModelVersionIdentifier="\(identifier)">
        \(body)
        </model>
        """
    }

    static func read(_ body: String) throws -> NSManagedObjectModel {
        let folder = try TemporaryFolder()
        try folder.write(xml(body), to: "M.xcdatamodel/contents")
        return try NSManagedObjectModel(validatingContentsOf: folder.file("M.xcdatamodel"))
    }
}
