import Foundation
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("A lightweight migration")
struct LightweightMigrationTests {
    /// Two entities, the first with what stands in its place.
    static func model(_ body: String, other: String = "") throws -> NSManagedObjectModel {
        try ModelFile.read("<entity name=\"A\">\(body)</entity><entity name=\"B\">\(other)</entity>")
    }

    static func attribute(_ type: String, _ rest: String = "optional=\"YES\"", name: String = "x") -> String {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(rest)/>"
    }

    static func relationship(_ count: String, _ rest: String = "optional=\"YES\"", to entity: String = "B") -> String {
        "<relationship name=\"r\" \(count) \(rest) deletionRule=\"Nullify\" destinationEntity=\"\(entity)\"/>"
    }

    static let toOne = "maxCount=\"1\""
    static let toMany = "toMany=\"YES\""

    @Test(
        "is inferred for what Apple's documentation lists",
        arguments: [
            ("", attribute("String")), ("", attribute("String", "defaultValueString=\"\"")), (attribute("String"), ""),
            (attribute("String", ""), attribute("String")),
            (attribute("String"), attribute("String", "defaultValueString=\"a\"")),
            (attribute("String"), attribute("String", "optional=\"YES\" elementID=\"x\"", name: "y")),
            (attribute("Integer 32"), attribute("Integer 64")), (attribute("Boolean"), attribute("Double")),
            ("", relationship(toOne)), (relationship(toOne), ""), (relationship(toOne), relationship(toMany)),
            (relationship(toMany), relationship(toMany, "optional=\"YES\" ordered=\"YES\"")),
            (relationship(toMany, "optional=\"YES\" ordered=\"YES\""), relationship(toMany)),
            (attribute("String"), attribute("Date", "optional=\"YES\" transient=\"YES\"")),
        ])
    func inferable(_ old: String, _ new: String) throws {
        let migration = LightweightMigration(from: try Self.model(old), to: try Self.model(new))
        #expect(migration.concerns.isEmpty, "\(migration.concerns)")
        #expect(migration.isInferable)
    }

    @Test(
        "isn't inferred for other changes, and says why",
        arguments: [
            (attribute("String"), attribute("Integer 16"), LightweightMigration.Concern.Kind.incompatibleTypes),
            (attribute("String"), attribute("Binary"), .incompatibleTypes),
            (attribute("Date"), attribute("Double"), .incompatibleTypes),
            (relationship(toMany), relationship(toOne), .toManyBecomesToOne),
            (relationship(toOne), relationship(toOne, to: "A"), .otherDestination),
            (attribute("String", name: "r"), relationship(toOne), .changedKind),
            (
                attribute("String"),
                attribute("String", "optional=\"YES\" elementID=\"x\"", name: "y")
                    + attribute("String", "optional=\"YES\" elementID=\"x\"", name: "z"), .ambiguousName
            ),
        ])
    func obstacles(_ old: String, _ new: String, _ kind: LightweightMigration.Concern.Kind) throws {
        let migration = LightweightMigration(from: try Self.model(old), to: try Self.model(new))
        #expect(!migration.isInferable)
        #expect(Set(migration.obstacles.map(\.kind)) == [kind])
        #expect(migration.obstacles.allSatisfy { $0.entity == "A" && $0.property != nil })
    }

    @Test(
        "may fail because of rows, which is told apart",
        arguments: [
            ("", attribute("String", ""), LightweightMigration.Concern.Kind.mandatoryAttributeAdded),
            (attribute("String"), attribute("String", ""), .attributeBecomesMandatory),
            ("", relationship(toOne, ""), .mandatoryRelationship),
            (relationship(toOne), relationship(toOne, ""), .mandatoryRelationship),
            (
                attribute("String"),
                attribute("String")
                    + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></uniquenessConstraints>",
                .newConstraint
            ),
        ])
    func risks(_ old: String, _ new: String, _ kind: LightweightMigration.Concern.Kind) throws {
        let migration = LightweightMigration(from: try Self.model(old), to: try Self.model(new))
        #expect(migration.isInferable)
        #expect(migration.risks.map(\.kind) == [kind])
    }

    @Test("follows destinations through the renaming of entities")
    func renamedDestination() throws {
        let old = try Self.model(Self.relationship(Self.toOne))
        let new = try ModelFile.read(
            "<entity name=\"A\">\(Self.relationship(Self.toOne, to: "C"))</entity><entity name=\"C\" elementID=\"B\"/>")
        let migration = LightweightMigration(from: old, to: new)
        #expect(migration.concerns.isEmpty)
        #expect(migration.steps.map(\.mappingName) == ["IEM_Transform_A", "IEM_Transform_C"])
    }

    @Test("to a super-entity of the destination is a risk, as it was seen to go wrong later")
    func relatedDestination() throws {
        let hierarchy = "<entity name=\"P\"/><entity name=\"C\" parentEntity=\"P\"/>"
        func model(_ entity: String) throws -> NSManagedObjectModel {
            try ModelFile.read(
                hierarchy + "<entity name=\"A\">\(Self.relationship(Self.toOne, to: entity))</entity>")
        }
        let migration = LightweightMigration(from: try model("C"), to: try model("P"))
        #expect(migration.isInferable)
        #expect(migration.risks.map(\.kind) == [.relatedDestination])
    }

    @Test("adds, removes and moves entities in a hierarchy, but doesn't merge hierarchies")
    func hierarchies() throws {
        let separate = try ModelFile.read("<entity name=\"A\"/><entity name=\"B\"/>")
        let merged = try ModelFile.read(
            "<entity name=\"P\"/><entity name=\"A\" parentEntity=\"P\"/><entity name=\"B\" parentEntity=\"P\"/>")
        #expect(LightweightMigration(from: separate, to: merged).obstacles.map(\.kind) == [.mergedHierarchies])
        #expect(LightweightMigration(from: merged, to: separate).isInferable)
        let one = try ModelFile.read("<entity name=\"A\"/>")
        let under = try ModelFile.read("<entity name=\"P\"/><entity name=\"A\" parentEntity=\"P\"/>")
        #expect(LightweightMigration(from: one, to: under).isInferable)
    }

    @Test("has a step for each entity, and knows which properties are kept")
    func steps() throws {
        let old = try ModelFile.read(
            "<entity name=\"A\">\(Self.attribute("String"))\(Self.attribute("Date", name: "gone"))</entity><entity name=\"Gone\"/><entity name=\"Same\"/>"
        )
        let new = try ModelFile.read(
            "<entity name=\"A\">\(Self.attribute("String", "optional=\"YES\" elementID=\"x\"", name: "y"))\(Self.attribute("Date", name: "new"))</entity><entity name=\"New\"/><entity name=\"Same\"/>"
        )
        let steps = LightweightMigration(from: old, to: new).steps
        #expect(
            steps.map(\.mappingName) == ["IEM_Transform_A", "IEM_Remove_Gone", "IEM_Add_New", "IEM_Copy_Same"])
        let properties = steps[0].properties
        #expect(properties.pairs.map { "\($0.source.name)→\($0.destination.name)" } == ["x→y"])
        #expect(properties.added.map(\.name) == ["new"] && properties.removed.map(\.name) == ["gone"])
    }

    @Test("is told of properties once, where they are declared")
    func inheritedProperties() throws {
        func model(_ type: String) throws -> NSManagedObjectModel {
            try ModelFile.read(
                "<entity name=\"P\">\(Self.attribute(type))</entity><entity name=\"A\" parentEntity=\"P\"/><entity name=\"B\" parentEntity=\"P\"/>"
            )
        }
        let migration = LightweightMigration(from: try model("String"), to: try model("Date"))
        #expect(migration.concerns.map { "\($0.entity).\($0.property ?? "")" } == ["P.x"])
    }

    @Test(
        "can be inferred between the versions in the corpus that real apps migrate by inference",
        .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
    func corpus() throws {
        let bundle = try #require(Corpus.root).appendingPathComponent(
            "duckduckgo+BrowserServicesKit/Sources/Bookmarks/BookmarksModel.xcdatamodeld")
        let names = ["BookmarksModel", "BookmarksModel 2", "BookmarksModel 3", "BookmarksModel 4", "BookmarksModel 5"]
        let models = try names.map {
            try NSManagedObjectModel(validatingContentsOf: bundle.appendingPathComponent("\($0).xcdatamodel"))
        }
        for (old, new) in zip(models, models.dropFirst()) {
            #expect(LightweightMigration(from: old, to: new).isInferable)
        }
    }
}
