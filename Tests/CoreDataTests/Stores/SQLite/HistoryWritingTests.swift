import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Persistent history")
struct HistoryWritingTests {
    static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    static func model() -> NSManagedObjectModel {
        func kept(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = Build.attribute(name, type)
            attribute.preservesValueInHistoryOnDeletion = true
            return attribute
        }
        let photo = kept("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        let novel = Build.entity("Novel", [kept("genre", .stringAttributeType)])
        let book = Build.entity(
            "Book",
            [
                Build.attribute("pages", .integer32AttributeType), kept("name", .stringAttributeType),
                kept("bought", .dateAttributeType), photo,
                Build.attribute("mood", .stringAttributeType, isTransient: true),
            ], subentities: [novel])
        let author = Build.entity("Author", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(book, "author"), Build.many(author, "books"))
        Build.relate(Build.many(book, "sequels"), Build.many(book, "prequels"))
        return Build.model(author, book, novel)
    }

    let fixture: Fixture
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model(), options: Self.options)
        context.name = "main"
        context.transactionAuthor = "me"
    }

    func changes(_ columns: String = "ZCHANGETYPE, ZENTITY, ZENTITYPK", after transaction: Int = 0) throws -> [String] {
        try fixture.rows(
            "SELECT \(columns) FROM ACHANGE WHERE ZTRANSACTIONID > \(transaction) ORDER BY Z_PK"
        ).map { $0.map { $0 ?? "-" }.joined(separator: " ") }
    }

    func columns(after transaction: Int = 0) throws -> [[String]] {
        let connection = try SQLiteConnection(fixture.url, .readOnly)
        let schema = try SQLSchema(fixture.model)
        let statement = try connection.statement(
            "SELECT ZENTITY, ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID > \(transaction) ORDER BY Z_PK"
        )
        var result: [[String]] = []
        while try statement.step() {
            let layout = HistoryLayout(try #require(schema.entity(number: statement.int(0))))
            result.append(try #require(layout.names(statement.data(1))))
        }
        return result
    }

    // MARK: Tables

    @Test("has its tables in a new store, with a column for each value that deleted objects keep")
    func tables() throws {
        let sql = try fixture.column("SELECT sql FROM sqlite_master WHERE name = 'ACHANGE'")[0]
        #expect(
            sql == "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,"
                + " ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB,"
                + " ZTOMBSTONE1 BLOB, ZTOMBSTONE2 BLOB, ZTOMBSTONE3 BLOB )")
        #expect(
            try fixture.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1") == [
                ["16001", "CHANGE", "0", "0"], ["16002", "TRANSACTION", "0", "0"],
                ["16003", "TRANSACTIONSTRING", "0", "0"],
            ])
    }

    @Test(
        "has the tables and indexes of Apple's stores, word for word",
        .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"),
        arguments: Corpus.entries("store-sqlite").filter { $0.notes.contains("history") })
    func realTables(_ entry: Corpus.Entry) throws {
        let folder = try TemporaryFolder()
        let real = try CorpusStoreTests.copy(entry, to: folder)
        let model = try NSManagedObjectModel(contentsOfStoreAt: real)
        let made = folder.file("made.sqlite")
        _ = try Library.open(made, options: Self.options, model: model)
        func facts(_ url: URL) throws -> [String] {
            let statement = try SQLiteConnection(url, .readWrite).statement(
                "SELECT sql FROM sqlite_master WHERE tbl_name LIKE 'A%' AND sql NOT NULL ORDER BY rowid")
            var result: [String] = []
            while try statement.step() { result.append(statement.string(0)) }
            return result
        }
        #expect(try facts(made) == facts(real))
    }

    // MARK: Rows

    @Test("has one transaction for each save, with its author, context and process")
    func transaction() throws {
        let start = Date()
        fixture.insert("Author", ["name": "A"])
        try context.save()
        fixture.insert("Author", ["name": "B"])
        context.transactionAuthor = nil
        try context.save()
        #expect(
            try fixture.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHOR, ZQUERYGEN FROM ATRANSACTION ORDER BY 1") == [
                ["1", "16002", nil, nil, nil], ["2", "16002", nil, nil, nil],
            ])
        func strings(_ column: String) throws -> [String?] {
            try fixture.column(
                "SELECT ZNAME FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.\(column) ORDER BY t.Z_PK"
            )
        }
        #expect(try strings("ZAUTHORTS") == ["me", nil])
        #expect(try strings("ZCONTEXTNAMETS") == ["main", "main"])
        #expect(try strings("ZPROCESSIDTS") == Array(repeating: ProcessInfo.processInfo.processName, count: 2))
        #expect(try fixture.value("SELECT COUNT(*) = COUNT(DISTINCT ZNAME) FROM ATRANSACTIONSTRING") == "1")
        let time = try #require(try fixture.value("SELECT ZTIMESTAMP FROM ATRANSACTION").flatMap(Double.init))
        #expect(time >= start.timeIntervalSinceReferenceDate && time <= Date().timeIntervalSinceReferenceDate)
        for (number, table) in [(16001, "ACHANGE"), (16002, "ATRANSACTION"), (16003, "ATRANSACTIONSTRING")] {
            let last = try fixture.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
            #expect(try fixture.value("SELECT MAX(Z_PK) FROM \(table)") == last)
        }
    }

    @Test("tells of insertions, then updates, then deletions, each object once, by its own entity")
    func kinds() throws {
        let author = fixture.insert("Author", ["name": "A"])
        let book = fixture.insert("Book", ["name": "B"])
        let novel = fixture.insert("Novel", ["name": "N"])
        try context.save()
        let keys = [author, book, novel].map(\.objectID.primaryKey)
        #expect(Set(try changes()) == ["0 1 \(keys[0])", "0 2 \(keys[1])", "0 3 \(keys[2])"])
        context.delete(novel)
        author.setValue("X", forKey: "name")
        author.setValue("Y", forKey: "name")
        let new = fixture.insert("Novel", ["name": "M"])
        try context.save()
        #expect(
            try changes(after: 1) == ["0 3 \(new.objectID.primaryKey)", "1 1 \(keys[0])", "2 3 \(keys[2])"])
        #expect(try fixture.value("SELECT COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE <> 1 AND ZCOLUMNS NOT NULL") == "0")
        #expect(try fixture.value("SELECT COUNT(*) FROM ACHANGE WHERE Z_ENT <> 16001 OR Z_OPT NOT NULL") == "0")
    }

    @Test("knows which properties were changed, by their place in the order of names, highest bit first")
    func bitmap() throws {
        let author = fixture.insert("Author", ["name": "A"])
        let book = fixture.insert("Book", ["name": "B"])
        let novel = fixture.insert("Novel", ["name": "N"])
        try context.save()
        // author, bought, [genre,] name, pages, photo, prequels, sequels
        book.setValue(3, forKey: "pages")
        novel.setValue("g", forKey: "genre")
        try context.save()
        #expect(try Set(changes("ZENTITY, hex(ZCOLUMNS)", after: 1)) == ["2 10", "3 20"])
        book.setValue(author, forKey: "author")
        book.setValue("x", forKey: "mood")
        try context.save()
        #expect(try Set(columns(after: 2)) == [["author"], ["books"]])
        book.setValue(Set([novel]), forKey: "sequels")
        try context.save()
        #expect(try Set(columns(after: 3)) == [["sequels"], ["prequels"]])
        #expect(try Set(changes("ZENTITY, hex(ZCOLUMNS)", after: 3)) == ["2 02", "3 02"])
    }

    @Test("a bitmap of another version of the model means nothing")
    func foreignBitmap() throws {
        let layout = HistoryLayout(try #require(SQLSchema(fixture.model).entities.first))
        #expect(layout.properties == ["books", "name"])
        #expect(layout.names(Data([0xC0])) == ["books", "name"])
        #expect(layout.names(Data()) == [])
        #expect(layout.names(Data([0x20])) == nil)
        #expect(layout.names(Data([0x80, 0x80])) == nil)
    }

    @Test("keeps the values of deleted objects that the model names, as their columns have them")
    func tombstones() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let novel = fixture.insert(
            "Novel", ["name": "N", "genre": "g", "bought": date, "pages": 3, "photo": Data([1])])
        let book = fixture.insert("Book", ["name": "B"])
        try context.save()
        context.delete(novel)
        context.delete(book)
        try context.save()
        let tombstones = "ZENTITY, ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2, ZTOMBSTONE3"
        #expect(try Set(changes(tombstones, after: 1)) == ["3 12.5 g N -", "2 - B - -"])
        #expect(try changes("typeof(ZTOMBSTONE0), typeof(ZTOMBSTONE1)", after: 1).contains("real text"))
    }

    @Test("tells of nothing that wasn't saved")
    func failures() throws {
        let model = FailedSaveTests.model()
        let fixture = try Fixture(model, options: Self.options)
        try fixture.context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ATRANSACTION") == "0")
        fixture.insert("Item", ["name": "1", "code": "1"])
        fixture.insert("Item", ["name": "2", "code": "1"])
        #expect(throws: CocoaError.self) { try fixture.context.save() }
        for table in ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"] {
            #expect(try fixture.value("SELECT COUNT(*) FROM \(table)") == "0")
        }
        fixture.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try fixture.context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ATRANSACTION") == "1")
        #expect(try fixture.value("SELECT COUNT(*) FROM ACHANGE") == "1")
    }

    @Test("a row that somebody else has deleted is told of once")
    func deletedTwice() throws {
        let author = fixture.insert("Author", ["name": "A"])
        try context.save()
        let other = Library.context(try Library.open(fixture.url, options: Self.options, model: fixture.model))
        context.delete(author)
        other.delete(try other.one("Author", "A"))
        try other.save()
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == "1")
    }

    // MARK: Stores with and without

    @Test("begins when it is asked for, and a store that has it may only be read by who doesn't ask")
    func option() throws {
        let url = fixture.folder.file("other.sqlite")
        let plain = try Library.open(url, model: fixture.model)
        _ = Library.insert("Author", "A", Library.context(plain))
        #expect(!plain.persistentStores[0].isReadOnly)
        let tracked = try Library.open(url, options: Self.options, model: fixture.model)
        try Library.addAuthor("B", tracked)
        let again = try Library.open(url, model: fixture.model)
        #expect(again.persistentStores[0].isReadOnly)
        #expect(try Library.context(again).names("Author") == ["B"])
        #expect(errorCode { try Library.addAuthor("C", again) } == .fileWriteNoPermission)
        try Library.addAuthor("C", Library.open(url, options: Self.options, model: fixture.model))
        let read = try SQLiteConnection(url, .readOnly)
        #expect(try read.int("SELECT COUNT(*) FROM ATRANSACTION") == 2)
    }

    @Test("keeps to the layout of older systems, which had no table for texts and didn't count keys")
    func oldLayout() throws {
        let url = fixture.url
        for store in fixture.coordinator.persistentStores { try fixture.coordinator.remove(store) }
        let connection = try SQLiteConnection(url, .readWrite)
        for sql in [
            "DROP TABLE ATRANSACTIONSTRING", "DROP TABLE ATRANSACTION", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,"
                + " ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR )",
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT) VALUES (41, 16002)",
        ] { try connection.execute(sql) }
        connection.close()
        let context = Library.context(try Library.open(url, options: Self.options, model: fixture.model))
        context.transactionAuthor = "me"
        _ = Library.insert("Author", "A", context)
        try context.save()
        #expect(try fixture.rows("SELECT Z_PK, ZAUTHOR FROM ATRANSACTION ORDER BY 1") == [["41", nil], ["42", "me"]])
        #expect(try fixture.value("SELECT ZTRANSACTIONID FROM ACHANGE") == "42")
        #expect(try fixture.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'") == "42")
    }

    @Test("tells of imported rows")
    func bulk() throws {
        fixture.insert("Author", ["name": "A"])
        try context.save()
        for store in fixture.coordinator.persistentStores { try fixture.coordinator.remove(store) }
        // The writer lets nobody else in until it is gone.
        try { () throws in
            let writer = try SQLiteBulkWriter(fixture.model, url: fixture.url)
            for name in ["Author", "Novel", "Book", "Author"] {
                let entity = try #require(writer.schema.entities.first { $0.name == name })
                try writer.insert(
                    entity, primaryKey: writer.takeKey(entity), Array(repeating: .null, count: entity.layout.count))
            }
            try writer.finish()
        }()
        #expect(try changes(after: 1) == ["0 1 2", "0 1 3", "0 3 1", "0 2 2"])
        #expect(try fixture.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == "5")
    }
}
