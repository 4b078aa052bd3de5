import CoreData
import Testing

@testable import StartingData

private func library() throws -> ImportCase {
    try ImportCase(
        entity(
            "Book", attribute("title"),
            "<attribute name=\"pagesCount\" optional=\"YES\" attributeType=\"Integer 64\" derived=\"YES\" derivationExpression=\"pages.@count\"/>",
            toMany("pages", "Page", inverse: "book"), unique: [["title"]]),
        entity(
            "Page", attribute("number", "Integer 32"), toOne("book", "Book", inverse: "pages"),
            toOne("cover", "Cover", inverse: "page")),
        entity("Cover", attribute("color"), toOne("page", "Page", inverse: "cover")), entity("Leaf", parent: "Page"))
}

@Suite("An imported store")
struct StoreLayoutTests {
    static let files: KeyValuePairs = [
        "Page.csv": "number,book.title\n1,A\n2,A\n3,B\n4,\n", "Book.csv": "title\nA\nB\nC\n",
        "Leaf.csv": "number,book.title\n5,C\n",
    ]

    @Test("has the tables, indexes and triggers of one that a coordinator makes")
    func schema() throws {
        let imported = try library()
        try imported.run(Self.files)
        let made = try library()
        _ = try made.context()
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"
        #expect(try imported.query(sql) == made.query(sql))
        for pragma in ["page_size", "auto_vacuum", "encoding", "user_version"] {
            #expect(try imported.query("PRAGMA \(pragma)") == made.query("PRAGMA \(pragma)"))
        }
        #expect(try imported.query("SELECT length(Z_UUID), Z_VERSION FROM Z_METADATA") == ["36|1"])
        try imported.expectOneSoundFile()
    }

    @Test("has derived counts, also where the counted come first")
    func derived() throws {
        for files in [Array(Self.files), Array(Self.files).reversed()] {
            let library = try library()
            try library.run(files.map { try library.folder.write($0.value, to: $0.key) })
            #expect(try library.query("SELECT ZTITLE, ZPAGESCOUNT FROM ZBOOK ORDER BY 1") == ["A|2", "B|1", "C|1"])
        }
    }

    @Test("is made by one of two that make it at a time; the other is told")
    func two() throws {
        let library = try library()
        let first = try SQLiteBulkWriter(library.model, url: library.store)
        let second = try SQLiteBulkWriter(library.model, url: library.store)
        try first.finish()
        #expect(throws: CocoaError.self) { try second.finish() }
        second.cancel()
        try library.expectOneSoundFile()
    }

    @Test("is not begun for files that can't be opened, and goes with a writer that is let go")
    func abandoned() throws {
        let library = try library()
        do { _ = try SQLiteBulkWriter(library.model, url: library.store) }
        #expect(library.folder.names.isEmpty)
    }

    @Test("is reported with counts and sizes, and progress never falls")
    func report() throws {
        let library = try library()
        let files = try Self.files.map { try library.folder.write($0.value, to: $0.key) }
        let steps = Steps()
        let report = try Importer(model: library.model, storeURL: library.store).run(files) { done, total in
            steps.add(done, total)
        }
        #expect(report.files == 3)
        #expect(report.entities.map { "\($0.name) \($0.inserted)" } == ["Book 3", "Page 4", "Leaf 1"])
        #expect(report.bytes == Self.files.reduce(0) { $0 + $1.value.utf8.count })
        #expect(report.storeBytes == (try Data(contentsOf: library.store)).count)
        #expect(steps.done == steps.done.sorted())
        #expect(steps.done.last == report.bytes)
        #expect(Set(steps.totals) == [report.bytes])
    }

    private final class Steps {
        var done: [Int] = []
        var totals: [Int?] = []
        func add(_ done: Int, _ total: Int?) {
            self.done.append(done)
            totals.append(total)
        }
    }
}
