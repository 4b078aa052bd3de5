import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A new store")
struct LayoutLimitsTests {
    private static func model(_ body: String) throws -> NSManagedObjectModel {
        let folder = try TemporaryFolder()
        let xml = "<?xml version=\"1.0\"?><model>\(body)</model>"
        try folder.write(xml, to: "M.xcdatamodel/contents")
        return try NSManagedObjectModel(validatingContentsOf: folder.file("M.xcdatamodel"))
    }

    @Test(
        "is refused, and no file left, where its layout isn't known",
        arguments: [
            (
                "composite",
                """
                <entity name="City"><attribute name="place" optional="YES" attributeType="Composite" composite="Point"/></entity>
                <composite name="Point"><attribute name="x" optional="YES" attributeType="Double"/></composite>
                """
            ),
            (
                "R-tree",
                """
                <entity name="City"><attribute name="x" optional="YES" attributeType="Double"/>
                <fetchIndex name="byX"><fetchIndexElement property="x" type="RTree"/></fetchIndex></entity>
                """
            ),
            (
                "derivation",
                """
                <entity name="City"><attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="plain" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
                </entity>
                """
            ),
        ])
    func refused(_ what: String, _ body: String) throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model(body))
        let error = try #require(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("s.sqlite"))
        }
        #expect("\(error.userInfo)".contains(what), "\(error.userInfo)")
        #expect(folder.names == [])
    }

    @Test("keeps the count of a to-many relationship in a derived attribute, through every change")
    func derivedCount() throws {
        let model = try Self.model(
            """
            <entity name="Book">
                <attribute name="pagesCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="pages.@count"/>
                <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Page" inverseName="book"/>
            </entity>
            <entity name="Page">
                <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pages"/>
            </entity>
            """)
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("s.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        func count(_ book: NSManagedObject) -> Int? {
            context.refresh(book, mergeChanges: false)
            return (book.value(forKey: "pagesCount") as? NSNumber)?.intValue
        }
        let books = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Book", into: context) }
        let pages = (0..<3).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Page", into: context) }
        for page in pages { page.setValue(books[0], forKey: "book") }
        try context.save()
        #expect(count(books[0]) == 3 && count(books[1]) == 0)
        pages[0].setValue(books[1], forKey: "book")
        try context.save()
        #expect(count(books[0]) == 2 && count(books[1]) == 1)
        pages[1].setValue(nil, forKey: "book")
        context.delete(pages[2])
        try context.save()
        #expect(count(books[0]) == 0 && count(books[1]) == 1)
    }
}
