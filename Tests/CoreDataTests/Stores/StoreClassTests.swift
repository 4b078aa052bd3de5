import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Classes of stores by type")
struct StoreClassTests {
    @Test("the framework's own types are registered, each with its class")
    func ownTypes() throws {
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        for type in [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType] {
            let value = try #require(types[type])
            var pointer: UnsafeRawPointer?
            value.getValue(&pointer)
            let found: AnyClass = unsafeBitCast(try #require(pointer), to: AnyClass.self)
            #expect(found is NSPersistentStore.Type)
        }
    }

    @Test("a type that nobody registered is refused")
    func unknownType() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreKindsTests.model())
        #expect(
            errorCode { try coordinator.addPersistentStore(ofType: "Nothing", configurationName: nil, at: nil) }
                == .persistentStoreInvalidType)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test("types have the strings that metadata and programs know")
    func names() {
        #expect(NSPersistentStore.StoreType.sqlite.rawValue == "SQLite")
        #expect(NSPersistentStore.StoreType.inMemory.rawValue == NSInMemoryStoreType)
        #expect(NSPersistentStore.StoreType.binary.rawValue == NSBinaryStoreType)
        #expect(NSPersistentStore.StoreType.xml.rawValue == NSXMLStoreType)
        #expect((NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType) == ("InMemory", "Binary", "XML"))
    }
}
