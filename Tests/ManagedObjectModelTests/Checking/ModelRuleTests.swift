import Foundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// A model that breaks a rule, and a near one that doesn't.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: ModelRule
    /// What the finding is about: `City.country`.
    let place: String?
    let bad: String
    let good: String
    var testDescription: String { "\(rule.rawValue): \(place ?? "")" }

    init(_ rule: ModelRule, _ place: String?, _ bad: String, insteadOf good: String) {
        self.rule = rule
        self.place = place
        self.bad = bad
        self.good = good
    }
}

@Suite("A check of a model finds")
struct ModelRuleTests {
    static func entity(_ name: String, _ body: String = "", _ attributes: String = "") -> String {
        "<entity name=\"\(name)\" \(attributes)>\(body)</entity>\n"
    }

    static func attribute(_ name: String, _ type: String = "String", _ rest: String = "optional=\"YES\"") -> String {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(rest)/>"
    }

    static func relationship(
        _ name: String, _ destination: String, inverse: String?, _ rest: String = toOne, rule: String = "Nullify"
    ) -> String {
        let back = inverse.map { "inverseName=\"\($0)\" inverseEntity=\"\(destination)\"" } ?? ""
        return
            "<relationship name=\"\(name)\" destinationEntity=\"\(destination)\" \(back) deletionRule=\"\(rule)\" \(rest)/>"
    }

    static let toOne = "optional=\"YES\" maxCount=\"1\""
    static let toMany = "optional=\"YES\" toMany=\"YES\""
    static let mandatory = "maxCount=\"1\""

    /// Two related entities, by default without fault.
    static func pair(
        _ ofA: String = toOne, _ ruleA: String = "Nullify", _ ofB: String = toOne, _ ruleB: String = "Nullify",
        unique: Bool = false
    ) -> String {
        let constraint = unique ? attribute("x") + constraints(["x"]) : ""
        return entity("A", relationship("b", "B", inverse: "a", ofA, rule: ruleA) + constraint)
            + entity("B", relationship("a", "A", inverse: "b", ofB, rule: ruleB))
    }

    static func constraints(_ names: [String]...) -> String {
        let each = names.map { list in
            "<uniquenessConstraint>" + list.map { "<constraint value=\"\($0)\"/>" }.joined() + "</uniquenessConstraint>"
        }
        return "<uniquenessConstraints>\(each.joined())</uniquenessConstraints>"
    }

    static func index(_ property: String) -> String {
        "<fetchIndex name=\"i\"><fetchIndexElement property=\"\(property)\" type=\"Binary\" order=\"ascending\"/></fetchIndex>"
    }

    static let structure: [RuleCase] = [
        RuleCase(.duplicateEntity, "A", entity("A") + entity("A"), insteadOf: entity("A") + entity("B")),
        RuleCase(
            .duplicateProperty, "A.x", entity("A", attribute("x") + attribute("x")),
            insteadOf: entity("A", attribute("x") + attribute("X"))),
        RuleCase(
            .duplicateProperty, "B.x",
            entity("A", attribute("x")) + entity("B", attribute("x"), "parentEntity=\"A\""),
            insteadOf: entity("A", attribute("x")) + entity("B", attribute("x"))),
        RuleCase(.invalidName, "A-1", entity("A-1"), insteadOf: entity("A_1")),
        RuleCase(.invalidName, "A.1x", entity("A", attribute("1x")), insteadOf: entity("A", attribute("x1"))),
        RuleCase(
            .memberClash, "A.description", entity("A", attribute("description")),
            insteadOf: entity("A", attribute("summary"))),
        RuleCase(
            .memberClash, "A.isDeleted", entity("A", attribute("isDeleted", "Boolean")),
            insteadOf: entity("A", attribute("isGone", "Boolean"))),
        RuleCase(
            .memberClash, "A.updated", entity("A", attribute("updated", "Date")),
            insteadOf: entity("A", attribute("version", "Date"))),
        RuleCase(
            .unknownSuperentity, "A", entity("A", "", "parentEntity=\"P\""),
            insteadOf: entity("P") + entity("A", "", "parentEntity=\"P\"")),
        RuleCase(
            .inheritanceLoop, "A", entity("A", "", "parentEntity=\"B\"") + entity("B", "", "parentEntity=\"A\""),
            insteadOf: entity("A", "", "parentEntity=\"B\"") + entity("B")),
        RuleCase(
            .missingType, "A.x", entity("A", "<attribute name=\"x\" optional=\"YES\"/>"),
            insteadOf: entity("A", "<attribute name=\"x\" optional=\"YES\" transient=\"YES\"/>")),
        RuleCase(
            .missingDestination, "A.r", entity("A", relationship("r", "B", inverse: nil)),
            insteadOf: entity("A", relationship("r", "A", inverse: "r"))),
        RuleCase(
            .inverseMismatch, "A.r",
            entity("A", relationship("r", "B", inverse: "a") + relationship("s", "B", inverse: "a"))
                + entity("B", relationship("a", "A", inverse: "s")),
            insteadOf: entity("A", relationship("r", "B", inverse: "a") + relationship("s", "B", inverse: "c"))
                + entity("B", relationship("a", "A", inverse: "r") + relationship("c", "A", inverse: "s"))),
        RuleCase(
            .inverseMismatch, "P.b",
            entity("P", relationship("b", "B", inverse: "a"))
                + entity("A", "", "parentEntity=\"P\"") + entity("B", relationship("a", "A", inverse: "b")),
            insteadOf: entity("P", relationship("b", "B", inverse: "a"))
                + entity("A", "", "parentEntity=\"P\"") + entity("B", relationship("a", "P", inverse: "b"))),
        RuleCase(
            .unknownMember, nil, entity("A") + "<configuration name=\"C\"><memberEntity name=\"B\"/></configuration>",
            insteadOf: entity("A") + "<configuration name=\"C\"><memberEntity name=\"A\"/></configuration>"),
        RuleCase(
            .unknownMember, nil, entity("A") + "<fetchRequest name=\"f\" entity=\"B\"/>",
            insteadOf: entity("A") + "<fetchRequest name=\"f\" entity=\"A\"/>"),
        RuleCase(
            .countRange, "A.b", pair("optional=\"YES\" toMany=\"YES\" minCount=\"3\" maxCount=\"2\""),
            insteadOf: pair("optional=\"YES\" toMany=\"YES\" minCount=\"2\" maxCount=\"3\"")),
        RuleCase(
            .unreadable, nil, entity("A", attribute("x", "Integer 128")),
            insteadOf: entity("A", attribute("x", "Integer 64"))),
    ]

    static let attributes: [RuleCase] = [
        RuleCase(
            .indexProperty, "A", entity("A", attribute("x") + index("y")),
            insteadOf: entity("A", attribute("x") + index("x"))),
        RuleCase(
            .indexProperty, "A.x",
            entity("A", attribute("x", "String", "optional=\"YES\" transient=\"YES\"") + index("x")),
            insteadOf: entity("A", attribute("x") + index("x"))),
        RuleCase(
            .constraintProperty, "A", entity("A", attribute("x") + constraints(["y"])),
            insteadOf: entity("A", attribute("x") + constraints(["x"]))),
        RuleCase(
            .constraintProperty, "A.b",
            entity("A", relationship("b", "B", inverse: "a") + constraints(["b"]))
                + entity("B", relationship("a", "A", inverse: "b", toMany)),
            insteadOf: entity("A", attribute("x") + relationship("b", "B", inverse: "a") + constraints(["x"]))
                + entity("B", relationship("a", "A", inverse: "b", toMany))),
        RuleCase(
            .constraintProperty, "A.x",
            entity("A", attribute("x", "String", "optional=\"YES\" transient=\"YES\"") + constraints(["x"])),
            insteadOf: entity("A", attribute("x") + constraints(["x"]))),
        RuleCase(
            .broadConstraint, "A", entity("A", attribute("x", "Boolean") + constraints(["x"])),
            insteadOf: entity("A", attribute("x", "Boolean") + attribute("y") + constraints(["x", "y"]))),
        RuleCase(
            .broadConstraint, "A", entity("A", attribute("x") + attribute("y") + constraints(["x"], ["x", "y"])),
            insteadOf: entity("A", attribute("x") + attribute("y") + constraints(["x"], ["y"]))),
        RuleCase(
            .derivation, "A.n",
            entity(
                "A", attribute("n", "Integer 64", "optional=\"YES\" derived=\"YES\" derivationExpression=\"bs.@count\"")
            ),
            insteadOf: entity(
                "A",
                attribute("n", "Integer 64", "optional=\"YES\" derived=\"YES\" derivationExpression=\"as.@count\"")
                    + relationship("as", "A", inverse: "as", toMany))),
        RuleCase(
            .derivation, "A.n",
            entity(
                "A", attribute("x") + attribute("n", "String", "derived=\"YES\" derivationExpression=\"canonical:(y)\"")
            ),
            insteadOf: entity(
                "A", attribute("x") + attribute("n", "String", "derived=\"YES\" derivationExpression=\"canonical:(x)\"")
            )),
        RuleCase(
            .defaultValue, "A.x", entity("A", attribute("x", "UUID", "optional=\"YES\" defaultValueString=\"empty\"")),
            insteadOf: entity(
                "A",
                attribute("x", "UUID", "optional=\"YES\" defaultValueString=\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\""))),
        RuleCase(
            .defaultValue, "A.x", entity("A", attribute("x", "Integer 16", "defaultValueString=\"40000\"")),
            insteadOf: entity("A", attribute("x", "Integer 32", "defaultValueString=\"40000\""))),
        RuleCase(
            .defaultValue, "A.x", entity("A", attribute("x", "Integer 16", "defaultValueString=\"1.5\"")),
            insteadOf: entity("A", attribute("x", "Integer 16", "defaultValueString=\"0.0\""))),
        RuleCase(
            .defaultValue, "A.x", entity("A", attribute("x", "Boolean", "defaultValueString=\"maybe\"")),
            insteadOf: entity("A", attribute("x", "Boolean", "defaultValueString=\"0\""))),
        RuleCase(
            .brokenDefault, "A.x",
            entity("A", attribute("x", "Integer 16", "defaultValueString=\"0\" minValueString=\"1\"")),
            insteadOf: entity("A", attribute("x", "Integer 16", "defaultValueString=\"1\" minValueString=\"1\""))),
        RuleCase(
            .brokenDefault, "A.x",
            entity("A", attribute("x", "String", "defaultValueString=\"ab\" regularExpressionString=\"[0-9]*\"")),
            insteadOf: entity(
                "A", attribute("x", "String", "defaultValueString=\"12\" regularExpressionString=\"[0-9]*\""))),
        RuleCase(
            .insecureTransformer, "A.x", entity("A", attribute("x", "Transformable")),
            insteadOf: entity(
                "A",
                attribute("x", "Transformable", "optional=\"YES\" valueTransformerName=\"NSSecureUnarchiveFromData\""))),
        RuleCase(.predicateWord, "A.size", entity("A", attribute("size")), insteadOf: entity("A", attribute("length"))),
    ]

    static let relations: [RuleCase] = [
        RuleCase(
            .unknownInverse, "A.b",
            entity("A", relationship("b", "B", inverse: "x"))
                + entity("B", relationship("a", "B", inverse: "a")),
            insteadOf: pair()),
        RuleCase(
            .noInverse, "A.r", entity("A", relationship("r", "A", inverse: nil)),
            insteadOf: entity("A", relationship("r", "A", inverse: "r"))),
        RuleCase(.noAction, "A.b", pair(toOne, "No Action"), insteadOf: pair()),
        RuleCase(
            .nullifyMandatory, "A.b", pair(toMany, "Nullify", mandatory), insteadOf: pair(toMany, "Cascade", mandatory)),
        RuleCase(
            .cascadeShared, "A.b", pair(toOne, "Cascade", toMany), insteadOf: pair(toOne, "Nullify", toMany, "Cascade")),
        RuleCase(.cascadeShared, "A.b", pair(toMany, "Cascade", toMany), insteadOf: pair(toOne, "Cascade", toOne)),
        RuleCase(.denyBoth, "A.b", pair(toOne, "Deny", toOne, "Deny"), insteadOf: pair(toOne, "Deny")),
        RuleCase(
            .uniqueInverse, "A.b", pair(toMany, "Cascade", mandatory, unique: true),
            insteadOf: pair(toMany, "Cascade", toOne, unique: true)),
        RuleCase(
            .abstractLeaf, "A", entity("A", "", "isAbstract=\"YES\""),
            insteadOf: entity("A", "", "isAbstract=\"YES\"") + entity("B", "", "parentEntity=\"A\"")),
        RuleCase(
            .sharedClass, "B",
            entity("A", "", "representedClassName=\"C\"") + entity("B", "", "representedClassName=\"C\""),
            insteadOf: entity("A", "", "representedClassName=\"C\"") + entity("B", "", "representedClassName=\"D\"")),
    ]

    @Test("what breaks a rule, and nothing in a near model", arguments: structure + attributes + relations)
    func rules(_ example: RuleCase) throws {
        let findings = try Self.check(example.bad).findings()
        #expect(findings.map(\.rule) == [example.rule])
        #expect(findings.first?.place == example.place)
        #expect(findings.first?.line != nil)
        #expect(try Self.check(example.good).findings().map(\.message) == [])
    }

    @Test("each rule with an example here or in the suites beside this one")
    func allRules() {
        let here = Set((Self.structure + Self.attributes + Self.relations).map(\.rule))
        let elsewhere: Set<ModelRule> = [
            .acrossConfigurations, .cloudConstraint, .cloudMandatory, .cloudInverse, .cloudDeny, .cloudOrdered,
            .cloudType, .notInferable, .newMandatory, .nowMandatory, .newConstraint, .relatedDestination,
            .possibleRename, .unseenIndex,
        ]
        #expect(here.union(elsewhere) == Set(ModelRule.allCases))
        #expect(Set(ModelRule.allCases.map(\.summary)).count == ModelRule.allCases.count)
    }

    static func check(_ body: String) throws -> ModelCheck {
        let folder = try TemporaryFolder()
        try folder.write(ModelFile.xml(body), to: "M.xcdatamodel/contents")
        return try ModelCheck(contentsOf: folder.file("M.xcdatamodel"))
    }
}
