import CoreData
import TestSupport

/// A folder with a model, `World.xcdatamodel`, and where asked for, a store, `World.sqlite`.
///
/// Countries have a unique code; cities are places, have a value of each type, a country, and a mayor, who has nothing
/// that is unique.
final class World {
    let folder: TemporaryFolder
    let model: NSManagedObjectModel

    var modelURL: URL { folder.file("World.xcdatamodel") }
    var storeURL: URL { folder.file("World.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        let url = folder.file("World.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(Self.modelText.utf8).write(to: url.appendingPathComponent("contents"))
        model = try NSManagedObjectModel(validatingContentsOf: url)
    }

    /// Runs the tool in the folder.
    func run(_ arguments: String...) throws -> ToolRun { try runTool(arguments, in: folder.url) }

    /// A folder with a store that `fill` filled; with `journal` as its journal mode.
    static func withStore(
        journal: String = "DELETE", _ fill: (NSManagedObjectContext) throws -> Void = World.fillWithThreeCities
    ) throws -> World {
        let world = try World()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: world.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: world.storeURL,
            options: [NSSQLitePragmasOption: ["journal_mode": journal]])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { () throws in
            try fill(context)
            try context.save()
        }
        return world
    }

    /// Two countries; three cities, the first with a value of each type, the second with none but a name.
    static func fillWithThreeCities(_ context: NSManagedObjectContext) {
        let norway = insert("Country", ["isoCode": "NO", "name": "Norge"], context)
        let japan = insert("Country", ["isoCode": "JP", "name": "日本"], context)
        let mayor = insert("Person", ["name": "Anne"], context)
        let oslo: [String: Any] = [
            "name": "Oslo", "population": 709_037, "area": 454.12, "elevation": NSDecimalNumber(string: "23.10"),
            "isCapital": true, "founded": Date(timeIntervalSinceReferenceDate: 0.25), "seal": Data([0, 255, 16]),
            "code": uuid, "site": url, "rank": 3, "share": Float(0.1), "country": norway, "mayor": mayor,
        ]
        _ = insert("City", oslo, context)
        _ = insert("City", ["name": ""], context)
        _ = insert("City", ["name": "東京, \"都\"", "population": 13_960_000, "country": japan], context)
    }

    private static var uuid: UUID { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) }
    private static var url: URL { URL(fileURLWithPath: "/oslo") }

    /// Inserts an object.
    static func insert(
        _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    private static let modelText = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="v1">
            <entity name="Place" isAbstract="YES" syncable="YES">
                <attribute name="name" attributeType="String"/>
            </entity>
            <entity name="City" parentEntity="Place" syncable="YES">
                <attribute name="area" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
                <attribute name="code" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
                <attribute name="elevation" optional="YES" attributeType="Decimal"/>
                <attribute name="founded" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="isCapital" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
                <attribute name="population" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
                <attribute name="rank" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
                <attribute name="seal" optional="YES" attributeType="Binary"/>
                <attribute name="share" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
                <attribute name="site" optional="YES" attributeType="URI"/>
                <relationship name="country" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Country" inverseName="cities" inverseEntity="Country"/>
                <relationship name="mayor" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Person" inverseName="city" inverseEntity="Person"/>
            </entity>
            <entity name="Country" syncable="YES">
                <attribute name="isoCode" attributeType="String"/>
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="cities" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="City" inverseName="country" inverseEntity="City"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="isoCode"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Person" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="city" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="City" inverseName="mayor" inverseEntity="City"/>
            </entity>
        </model>
        """
}
