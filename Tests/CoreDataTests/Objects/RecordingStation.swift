import Foundation
import TestSupport

@testable import CoreData

/// What the hooks of a context's stations were called for, and what a test wants to be done in them.
final class Hooks {
    nonisolated(unsafe) var calls: [String] = []
    nonisolated(unsafe) var actions: [String: (Station) -> Void] = [:]

    /// The calls since the last time.
    func take() -> [String] {
        defer { calls = [] }
        return calls
    }
}

/// Says in its hooks what happens to it: `name hook`, to the hooks of its context.
final class Station: NSManagedObject {
    private nonisolated(unsafe) var known: Hooks?

    private func note(_ hook: String) {
        known = managedObjectContext?.userInfo["hooks"] as? Hooks ?? known
        known?.calls.append("\(primitiveValue(forKey: "name") as? String ?? "-") \(hook)")
        known?.actions[hook]?(self)
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        note("awakeFromInsert")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        note("awakeFromFetch")
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { note("awake \(flags.rawValue)") }
    override func prepareForDeletion() { note("prepareForDeletion") }
    override func willSave() {
        super.willSave()
        note("willSave")
    }
    override func didSave() { note("didSave") }
    override func willTurnIntoFault() { note("willTurnIntoFault") }
    override func didTurnIntoFault() { note("didTurnIntoFault") }
    override func validateForInsert() throws {
        note("validateForInsert")
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        note("validateForUpdate")
        try super.validateForUpdate()
    }
    override func validateForDelete() throws {
        note("validateForDelete")
        try super.validateForDelete()
    }
}

/// Lines and their stations: deleting a line deletes its stations.
enum Railway {
    static func model() -> NSManagedObjectModel {
        let station = Build.entity(
            "Station",
            [
                Build.attribute("name", .stringAttributeType),
                Build.attribute("platforms", .integer64AttributeType, default: 1),
                Build.attribute("tags", .transformableAttributeType),
                Build.attribute("note", .stringAttributeType, isTransient: true),
            ])
        station.managedObjectClassName = NSStringFromClass(Station.self)
        let line = Build.entity("Line", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(line, "stations", rule: .cascadeDeleteRule), Build.one(station, "line"))
        Build.relate(Build.many(line, "stops", isOrdered: true), Build.many(station, "stopOf"))
        return Build.model(station, line)
    }

    /// A store with the line R and its stations A, B and C, saved, and hooks in its context.
    static func fixture() throws -> Fixture {
        let fixture = try Fixture(model())
        let line = fixture.insert("Line", ["name": "R"])
        for name in ["A", "B", "C"] { fixture.insert("Station", ["name": name, "line": line]) }
        try fixture.context.save()
        fixture.context.reset()
        fixture.context.userInfo["hooks"] = Hooks()
        return fixture
    }
}

extension Fixture {
    var hooks: Hooks { context.userInfo["hooks"] as? Hooks ?? Hooks() }
    func station(_ name: String) throws -> NSManagedObject { try context.one("Station", name) }
    func line() throws -> NSManagedObject { try context.one("Line", "R") }
}

/// The notifications that a context posts, as they come.
final class ContextNotifications: @unchecked Sendable {
    struct Entry {
        let name: String
        let info: [AnyHashable: Any]

        func names(_ key: String) -> [String]? {
            (info[key] as? Set<NSManagedObject>)?.map { $0.primitiveValue(forKey: "name") as? String ?? "-" }.sorted()
        }
        func identifiers(_ key: String) -> Set<NSManagedObjectID>? { info[key] as? Set<NSManagedObjectID> }
        var keys: [String] { info.keys.compactMap { $0.base as? String }.sorted() }
    }

    private static let names: [(Notification.Name, String)] = [
        (.NSManagedObjectContextObjectsDidChange, "didChange"), (.NSManagedObjectContextWillSave, "willSave"),
        (.NSManagedObjectContextDidSave, "didSave"), (.NSManagedObjectContextDidSaveObjectIDs, "didSaveIDs"),
        (.NSManagedObjectContextDidMergeChangesObjectIDs, "didMergeIDs"),
    ]
    private var tokens: [any NSObjectProtocol] = []
    private let lock = NSLock()
    private var list: [Entry] = []
    /// Called with each.
    var handler: ((Entry) -> Void)?

    init(_ context: NSManagedObjectContext) {
        tokens = Self.names.map { name, short in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] posted in
                let entry = Entry(name: short, info: posted.userInfo ?? [:])
                self?.lock.withLock { self?.list.append(entry) }
                self?.handler?(entry)
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    var entries: [Entry] { lock.withLock { list } }
    var names: [String] { entries.map(\.name) }
    func all(_ name: String) -> [Entry] { entries.filter { $0.name == name } }
    func clear() { lock.withLock { list = [] } }
}
