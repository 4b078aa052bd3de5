import Foundation
import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("A check of a model")
struct ModelCheckTests {
    typealias Rules = ModelRuleTests

    @Test("finds every fault of a file that its reader refuses, with the lines, and goes on with the rest")
    func manyFaults() throws {
        let body = """
            <entity name="A" parentEntity="Nobody">
                <attribute name="x" attributeType="String"/>
                <attribute name="x" attributeType="Date"/>
                <relationship name="lost" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Z"/>
                <relationship name="wrong" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="B" inverseName="y" inverseEntity="B"/>
                <fetchIndex name="i"><fetchIndexElement property="gone" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="gone"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity name="B"><attribute name="hash" optional="YES" attributeType="String"/></entity>
            <entity name="B"/>
            <entity name="C" parentEntity="D"/>
            <entity name="D" parentEntity="E"/>
            <entity name="E" parentEntity="D"/>
            """
        let check = try Rules.check(body)
        let findings = check.findings()
        // The body begins on line 3.
        #expect(
            findings.map { "\($0.line ?? 0) \($0.rule.rawValue)" } == [
                "3 unknown-superentity", "5 duplicate-property", "6 missing-destination", "7 unknown-inverse",
                "8 index-property", "9 constraint-property", "11 member-clash",
                "12 duplicate-entity", "14 inheritance-loop",
            ])
        #expect(check.model?.entities.count == 5)
        #expect(findings.last?.message == "inheritance goes round in a circle: 'D' from 'E' from 'D'")
    }

    @Test("says what the reader says where nothing can be made of the file")
    func unreadable() throws {
        let check = try Rules.check(
            "<entity name=\"A\">\n<attribute name=\"x\" attributeType=\"Integer 128\"/></entity>")
        #expect(check.model == nil)
        #expect(check.findings().map(\.line) == [4])
        #expect(check.findings().map(\.message) == ["unknown attribute type 'Integer 128'"])
    }

    @Test("of what is no model at all is an error")
    func noModel() throws {
        let folder = try TemporaryFolder()
        try folder.write("<plist/>", to: "M.xcdatamodel/contents")
        #expect(throws: ModelFileError.self) { try ModelCheck(contentsOf: folder.file("M.xcdatamodel")) }
        try folder.write("<model", to: "N.xcdatamodel/contents")
        #expect(throws: ModelFileError.self) { try ModelCheck(contentsOf: folder.file("N.xcdatamodel")) }
        #expect(throws: ModelFileError.self) { try ModelCheck(contentsOf: folder.file("none.mom")) }
    }

    @Test("of a model made in code finds what only code can do")
    func inCode() {
        let attribute = NSAttributeDescription()
        attribute.name = "count"
        attribute.attributeType = .integer32AttributeType
        attribute.defaultValue = "many"
        let relationship = NSRelationshipDescription()
        relationship.name = "nowhere"
        let twin = NSAttributeDescription()
        twin.name = "count"
        twin.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "A"
        entity.properties = [attribute, relationship, twin]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let findings = ModelCheck(model).findings()
        #expect(findings.map(\.rule) == [.defaultValue, .duplicateProperty, .missingDestination])
        #expect(findings.allSatisfy { $0.line == nil && $0.severity == .error })
    }

    // MARK: Configurations and CloudKit

    static let cloudBody = """
        <entity name="A"><attribute name="x" attributeType="String"/></entity>
        <entity name="B"><attribute name="y" attributeType="String"/></entity>
        <configuration name="Cloud" MARK><memberEntity name="A"/></configuration>
        <configuration name="Local"><memberEntity name="B"/></configuration>
        """

    @Test("looks for what CloudKit doesn't take only where it is asked to, or where the model says so")
    func cloudScope() throws {
        let plain = try Rules.check(Self.cloudBody.replacingOccurrences(of: "MARK", with: ""))
        #expect(plain.findings().isEmpty)
        #expect(plain.findings(cloud: true).map(\.place) == ["A.x", "B.y"])
        #expect(plain.findings(configurations: ["Local"], cloud: true).map(\.place) == ["B.y"])
        let marked = try Rules.check(Self.cloudBody.replacingOccurrences(of: "MARK", with: "usedWithCloudKit=\"YES\""))
        #expect(marked.findings().map(\.place) == ["A.x"])
        #expect(marked.findings(configurations: ["Local"]).isEmpty)
    }

    @Test(
        "finds what CloudKit doesn't take",
        arguments: [
            RuleCase(
                .cloudMandatory, "A.x", Rules.entity("A", Rules.attribute("x", "String", "")),
                insteadOf: Rules.entity("A", Rules.attribute("x", "String", "defaultValueString=\"\""))),
            RuleCase(
                .cloudConstraint, "A", Rules.entity("A", Rules.attribute("x") + Rules.constraints(["x"])),
                insteadOf: Rules.entity("A", Rules.attribute("x"))),
            RuleCase(
                .cloudMandatory, "B.a", Rules.pair(Rules.toMany, "Cascade", Rules.mandatory),
                insteadOf: Rules.pair(Rules.toMany, "Cascade", Rules.toOne)),
            RuleCase(.cloudDeny, "A.b", Rules.pair(Rules.toOne, "Deny"), insteadOf: Rules.pair()),
            RuleCase(
                .cloudOrdered, "A.b", Rules.pair(Rules.toMany + " ordered=\"YES\""), insteadOf: Rules.pair(Rules.toMany)
            ),
        ])
    func cloud(_ example: RuleCase) throws {
        let findings = try Rules.check(example.bad).findings(cloud: true)
        #expect(findings.map(\.rule) == [example.rule])
        #expect(findings.map(\.place) == [example.place])
        #expect(try Rules.check(example.good).findings(cloud: true).isEmpty)
    }

    @Test("finds what neither CloudKit nor Xcode takes twice, each rule by its own name")
    func cloudAndOthers() throws {
        let lonely = Rules.entity("A", Rules.relationship("r", "A", inverse: nil))
        #expect(try Rules.check(lonely).findings(cloud: true).map(\.rule) == [.cloudInverse, .noInverse])
        let untyped = Rules.entity("A", "<attribute name=\"x\" optional=\"YES\"/>")
        #expect(try Rules.check(untyped).findings(cloud: true).map(\.rule) == [.cloudType, .missingType])
    }

    @Test("finds relationships between entities that are never in one store")
    func acrossConfigurations() throws {
        func check(_ members: String) throws -> [ModelFinding] {
            try Rules.check(
                Rules.pair() + "<configuration name=\"C\"><memberEntity name=\"A\"/></configuration>"
                    + "<configuration name=\"D\">\(members)</configuration>"
            ).findings()
        }
        let findings = try check("<memberEntity name=\"B\"/>")
        #expect(findings.map(\.rule) == [.acrossConfigurations, .acrossConfigurations])
        #expect(findings.map(\.place) == ["A.b", "B.a"])
        #expect(try check("<memberEntity name=\"A\"/><memberEntity name=\"B\"/>").isEmpty)
    }

    // MARK: Since an older model

    static func since(_ old: String, _ new: String) throws -> [ModelFinding] {
        try Rules.check(new).findings(since: try ModelFile.read(old))
    }

    @Test(
        "since an older model finds what a migration meets",
        arguments: [
            (
                ModelRule.newMandatory, "A.x", Rules.entity("A"), Rules.entity("A", Rules.attribute("x", "String", "")),
                Rules.entity("A", Rules.attribute("x"))
            ),
            (
                .nowMandatory, "A.x", Rules.entity("A", Rules.attribute("x")),
                Rules.entity("A", Rules.attribute("x", "String", "")),
                Rules.entity("A", Rules.attribute("x", "String", "defaultValueString=\"\""))
            ),
            (
                .newConstraint, "A", Rules.entity("A", Rules.attribute("x")),
                Rules.entity("A", Rules.attribute("x") + Rules.constraints(["x"])),
                Rules.entity("A", Rules.attribute("x"))
            ),
            (
                .notInferable, "A.x", Rules.entity("A", Rules.attribute("x")),
                Rules.entity("A", Rules.attribute("x", "Date")), Rules.entity("A", Rules.attribute("x"))
            ),
            (
                .relatedDestination, "A.r",
                Rules.entity("A", Rules.relationship("r", "C", inverse: "s"))
                    + Rules.entity("P", Rules.relationship("s", "A", inverse: "r"))
                    + Rules.entity("C", "", "parentEntity=\"P\""),
                Rules.entity("A", Rules.relationship("r", "P", inverse: "s"))
                    + Rules.entity("P", Rules.relationship("s", "A", inverse: "r"))
                    + Rules.entity("C", "", "parentEntity=\"P\""),
                Rules.entity("A", Rules.relationship("r", "D", inverse: "s"))
                    + Rules.entity("P", Rules.relationship("s", "A", inverse: "r"))
                    + Rules.entity("D", "", "parentEntity=\"P\" elementID=\"C\"")
            ),
            (
                .possibleRename, "A.y", Rules.entity("A", Rules.attribute("x")),
                Rules.entity("A", Rules.attribute("y")),
                Rules.entity("A", Rules.attribute("y", "String", "optional=\"YES\" elementID=\"x\""))
            ),
            (
                .possibleRename, "B", Rules.entity("A", Rules.attribute("x")), Rules.entity("B", Rules.attribute("x")),
                Rules.entity("B", Rules.attribute("x"), "elementID=\"A\"")
            ),
            (
                .unseenIndex, "A", Rules.entity("A", Rules.attribute("x")),
                Rules.entity("A", Rules.attribute("x") + Rules.index("x")),
                Rules.entity("A", Rules.attribute("x") + Rules.index("x"), "versionHashModifier=\"2\"")
            ),
            (
                .unseenIndex, "A.x", Rules.entity("A", Rules.attribute("x")),
                Rules.entity("A", Rules.attribute("x", "String", "optional=\"YES\" indexed=\"YES\"")),
                Rules.entity(
                    "A", Rules.attribute("x", "String", "optional=\"YES\" indexed=\"YES\" versionHashModifier=\"2\""))
            ),
        ])
    func since(_ rule: ModelRule, _ place: String, _ old: String, _ bad: String, _ good: String) throws {
        let findings = try Self.since(old, bad)
        #expect(findings.map(\.rule).filter { $0 != .inverseMismatch } == [rule])
        #expect(findings.filter { $0.rule == rule }.map(\.place) == [place])
        #expect(try Self.since(old, good).filter { $0.rule != .inverseMismatch }.map(\.message) == [])
        // Without the older model there is nothing to say.
        #expect(try Rules.check(bad).findings().filter { $0.rule != .inverseMismatch }.isEmpty)
    }

    // MARK: Real models

    @Test(
        "of every model in the corpus finds no error, since real apps use them",
        .enabled(if: Corpus.shared != nil, "\(Corpus.absence)")
    )
    func corpus() throws {
        let files = Corpus.entries("model-xml") + Corpus.entries("mom")
        for file in files {
            let url = try #require(file.url)
            let model = file.kind == "mom" ? url : url.deletingLastPathComponent()
            let findings = try ModelCheck(contentsOf: model).findings()
            #expect(findings.filter { $0.severity == .error }.map(\.message) == [], "\(file.path)")
        }
        #expect(files.count == 217)
    }

    @Test(
        "never stops the program, whatever is done to a model", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
    func damaged() throws {
        let folder = try TemporaryFolder()
        var checked = 0
        for (number, file) in Corpus.entries("model-xml").enumerated() where number % 8 == 0 {
            let url = try #require(file.url)
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
            let old = try NSManagedObjectModel(validatingContentsOf: url.deletingLastPathComponent())
            // Without one attribute, and with another name, on every few lines.
            for line in stride(from: 3, to: lines.count, by: 7) {
                for (from, to) in [
                    ("name=\"", "name=\"x"), ("destinationEntity=\"", "inverseName=\""),
                    ("<attribute", "<relationship"), ("parentEntity", "p"),
                ] {
                    guard lines[line].contains(from) else { continue }
                    var changed = lines
                    changed[line] = lines[line].replacingOccurrences(of: from, with: to)
                    let copy = try folder.write(changed.joined(separator: "\n"), to: "M.xcdatamodel/contents")
                    guard let check = try? ModelCheck(contentsOf: copy) else { continue }  // no longer XML
                    let findings = check.findings(cloud: true, since: old)
                    #expect(check.model != nil || !findings.isEmpty)
                    checked += 1
                }
            }
        }
        #expect(checked > 150)
    }
}
