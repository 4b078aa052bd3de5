import Foundation
import Testing

@testable import CoreData

@Suite("The layout of older eras")
struct StoreEraTests {
    private static func bookModel() throws -> NSManagedObjectModel {
        try Build.model(
            xml: """
                <entity name="Book">
                    <attribute name="title" optional="YES" attributeType="String" indexed="YES"/>
                    <attribute name="pages" optional="YES" attributeType="Integer 32"/>
                    <compoundIndexes><compoundIndex><index value="title"/><index value="pages"/></compoundIndex></compoundIndexes>
                    <fetchIndex name="byPages"><fetchIndexElement property="pages" type="Binary"/></fetchIndex>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="title"/><constraint value="pages"/>
                    </uniquenessConstraint></uniquenessConstraints>
                </entity>
                """)
    }

    private static func statements(_ version: Int) throws -> [String] {
        try SQLSchema(bookModel(), era: StoreEra(frameworkVersion: version)).creationStatements()
    }

    @Test("indexes columns by the table's name, and has unique values as constraints of the table")
    func old() throws {
        #expect(
            try Self.statements(637) == [
                "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, ZTITLE"
                    + " VARCHAR, CONSTRAINT ZTITLE_ZPAGES UNIQUE (ZTITLE, ZPAGES))",
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
                "CREATE INDEX ZBOOK_ZTITLE_INDEX ON ZBOOK (ZTITLE)",
                "CREATE INDEX ZBOOK_ZPAGES_INDEX ON ZBOOK (ZPAGES)",
                "CREATE INDEX ZBOOK_ZTITLE_ZPAGES ON ZBOOK (ZTITLE, ZPAGES)",
            ])
        #expect(!(try Self.statements(519).contains { $0.contains("Z_MODELCACHE") }))
    }

    // An attribute with a fetch index of its own counts as indexed: real stores have both forms.
    @Test("of the present names all indexes by the entity")
    func present() throws {
        #expect(
            try Self.statements(1344).filter { $0.contains("INDEX") } == [
                "CREATE UNIQUE INDEX Z_Book_UNIQUE_title_pages ON ZBOOK (ZTITLE COLLATE BINARY ASC, ZPAGES COLLATE BINARY ASC)",
                "CREATE INDEX Z_Book_title ON ZBOOK (ZTITLE COLLATE BINARY ASC)",
                "CREATE INDEX Z_Book_pages ON ZBOOK (ZPAGES COLLATE BINARY ASC)",
                "CREATE INDEX Z_Book_byPages ON ZBOOK (ZPAGES COLLATE BINARY ASC)",
                "CREATE INDEX Z_Book_title_pages ON ZBOOK (ZTITLE COLLATE BINARY ASC, ZPAGES COLLATE BINARY ASC)",
            ])
    }

    @Test(
        "has the keys of metadata of its time",
        arguments: [(754, 0), (1044, 1), (1344, 2), (1522, 3)])
    func metadata(_ version: Int, _ count: Int) throws {
        let schema = try SQLSchema(Self.bookModel(), era: StoreEra(frameworkVersion: version))
        let metadata = SQLStoreFile.metadata(of: schema, identifier: "X")
        let keys = [
            "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey", "NSPersistenceMaximumFrameworkVersion",
        ]
        #expect(keys.map { metadata[$0] != nil } == keys.indices.map { $0 < count })
        #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == version)
    }
}
