import CSQLite
import Foundation
import TestSupport

@testable import CoreData

/// What the tests of values with files of their own share: notes, whose photo and text may be large.
protocol ExternalDataSuite {
    var fixture: Fixture { get }
}

/// Makes data of a text, of more than fits a row; fails where it is told to.
final class Repeater: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override func transformedValue(_ value: Any?) -> Any? {
        switch value as? String {
        case nil, "refuse": nil
        case "die": die()
        case let text?: Data(String(repeating: text, count: 200_000 / max(1, text.utf8.count)).utf8)
        }
    }
    private func die() -> Any? {
        kill(getpid(), SIGKILL)
        return nil
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0.prefix(1), as: UTF8.self) }
    }
}

extension Repeater {
    static let registered: Void = ValueTransformer.setValueTransformer(
        Repeater(), forName: NSValueTransformerName("TestRepeater"))
}

extension ExternalDataSuite {
    static func model() -> NSManagedObjectModel {
        _ = Repeater.registered
        let photo = Build.attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        let text = Build.attribute("text", .transformableAttributeType)
        text.valueTransformerName = "TestRepeater"
        text.allowsExternalBinaryDataStorage = true
        let note = Build.entity(
            "Note",
            [
                Build.attribute("name", .stringAttributeType), photo, text,
                Build.attribute("plain", .binaryDataAttributeType),
            ])
        note.uniquenessConstraints = [["name"]]
        return Build.model(note)
    }

    var context: NSManagedObjectContext { fixture.context }

    static func data(_ count: Int, _ seed: UInt8 = 7) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) ^ seed })
    }

    static func names(_ store: URL) -> [String] {
        let folder = ExternalData.files(ofStoreAt: store).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    var files: [String] { Self.names(fixture.url) }

    func file(_ name: String) -> URL { ExternalData.files(ofStoreAt: fixture.url).appendingPathComponent(name) }

    func saved(_ name: String, _ data: Data) throws -> NSManagedObject {
        let note = fixture.insert("Note", ["name": name, "photo": data])
        try context.save()
        return note
    }
}
