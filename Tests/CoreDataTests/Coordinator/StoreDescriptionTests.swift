import CoreData
import Foundation
import Testing

@Suite("Descriptions of stores")
struct StoreDescriptionTests {
    @Test("a new description has Apple's defaults")
    func defaults() {
        let description = NSPersistentStoreDescription()
        #expect(description.type == NSSQLiteStoreType)
        #expect(description.url == URL(fileURLWithPath: "/dev/null"))
        #expect(description.configuration == nil && !description.isReadOnly)
        #expect(!description.shouldAddStoreAsynchronously)
        #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
        #expect(description.timeout == 240 && description.sqlitePragmas.isEmpty)
        #expect(
            description.options.keys.sorted() == [
                NSInferMappingModelAutomaticallyOption, NSMigratePersistentStoresAutomaticallyOption,
            ])
        let url = URL(fileURLWithPath: "/folder/a.sqlite")
        #expect(NSPersistentStoreDescription(url: url).url == url)
    }

    @Test("what is set is found again, among the options too")
    func options() {
        let description = NSPersistentStoreDescription()
        description.isReadOnly = true
        description.timeout = 1.5
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        description.setValue(NSNumber(value: 3), forPragmaNamed: "synchronous")
        description.setOption("x" as NSString, forKey: "Test.option")
        #expect(description.isReadOnly && description.timeout == 1.5)
        #expect(!description.shouldMigrateStoreAutomatically && !description.shouldInferMappingModelAutomatically)
        #expect(description.sqlitePragmas == ["journal_mode": "DELETE" as NSString, "synchronous": NSNumber(value: 3)])
        #expect(description.options["Test.option"] == "x" as NSString)
        #expect(description.options[NSPersistentStoreTimeoutOption] == NSNumber(value: 1.5))
        #expect(description.options[NSReadOnlyPersistentStoreOption] == NSNumber(value: true))
        description.setOption(nil, forKey: "Test.option")
        description.setValue(nil, forPragmaNamed: "journal_mode")
        #expect(description.options["Test.option"] == nil && Array(description.sqlitePragmas.keys) == ["synchronous"])
        description.setOption(NSNumber(value: false), forKey: NSReadOnlyPersistentStoreOption)
        #expect(!description.isReadOnly)
    }

    @Test("another type leaves the address where it was")
    func type() {
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        #expect(description.url == URL(fileURLWithPath: "/dev/null"))
    }

    @Test("a copy is equal until one of both is changed")
    func copying() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/a"))
        description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        description.configuration = "Map"
        func copy() throws -> NSPersistentStoreDescription {
            let copy = try #require(description.copy() as? NSPersistentStoreDescription)
            #expect(copy == description && copy !== description && copy.hash == description.hash)
            return copy
        }
        for change: (NSPersistentStoreDescription) -> Void in [
            { $0.type = "x" }, { $0.configuration = nil }, { $0.url = nil }, { $0.isReadOnly = true },
            { $0.shouldAddStoreAsynchronously = true }, { $0.timeout = 1 },
            { $0.setValue(nil, forPragmaNamed: "journal_mode") }, { $0.shouldMigrateStoreAutomatically = false },
        ] {
            let changed = try copy()
            change(changed)
            #expect(changed != description)
            #expect(description.sqlitePragmas.count == 1 && description.configuration == "Map")
        }
        #expect(!description.isEqual("x"))
    }
}
