import Foundation
import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("Version hashes")
struct VersionHashTests {
    static func attribute(_ name: String, _ type: NSAttributeType, isOptional: Bool = true) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func hex(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("are those that Apple's framework gives")
    func knownHashes() {
        let a = Self.entity("EntityA", [Self.attribute("attr_a_1", .stringAttributeType)])
        #expect(Self.hex(a.versionHash) == "5294236bfd22c89e671401c2ce3ae677340b7118d0930f79ae760343d2b2ced1")
        a.properties += [Self.attribute("attr_a_2", .stringAttributeType)]
        #expect(Self.hex(a.versionHash) == "0c716cd868c244ccd31719e1c56361680ba325683f15d7a656718cd4b018bed5")
        let event = Self.entity("Event", [Self.attribute("timeStamp", .dateAttributeType)])
        #expect(Self.hex(event.versionHash) == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
        let item = Self.entity("SimpleItem", [Self.attribute("id", .stringAttributeType, isOptional: false)])
        #expect(Self.hex(item.versionHash) == "368615c88c102dde4723208233fa02b5d395d31c24bb83da4a1c3fdc1b50512f")
    }

    @Test("don't depend on default values, delete rules, user info, the order of properties or transient properties")
    func whatDoesNotMatter() {
        let a = Self.entity("E", [Self.attribute("x", .stringAttributeType), Self.attribute("y", .dateAttributeType)])
        let y = Self.attribute("y", .dateAttributeType)
        y.defaultValue = Date()
        y.userInfo = ["key": "value"]
        let transient = Self.attribute("z", .undefinedAttributeType)
        transient.isTransient = true
        let b = Self.entity("E", [transient, y, Self.attribute("x", .stringAttributeType)])
        #expect(a.versionHash == b.versionHash)
    }

    @Test("depend on type, optionality, modifier, external storage, abstractness and uniqueness")
    func whatMatters() {
        let plain = Self.entity("E", [Self.attribute("x", .binaryDataAttributeType)]).versionHash
        func changed(_ change: (NSEntityDescription, NSAttributeDescription) -> Void) -> Data {
            let x = Self.attribute("x", .binaryDataAttributeType)
            let entity = Self.entity("E", [x])
            change(entity, x)
            return entity.versionHash
        }
        let hashes = [
            plain, changed { $1.attributeType = .stringAttributeType }, changed { $1.isOptional = false },
            changed { $1.versionHashModifier = "2" }, changed { $1.allowsExternalBinaryDataStorage = true },
            changed { entity, _ in entity.isAbstract = true },
            changed { entity, _ in entity.uniquenessConstraints = [["x"]] },
            changed { entity, _ in entity.versionHashModifier = "2" },
        ]
        #expect(Set(hashes).count == hashes.count)
    }

    @Test("sort names by UTF-16 code units")
    func order() {
        let names = [
            "", "B", "_", "a", "ab", "ä", "é", "e\u{301}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "😀", "😀a", "𝒜", "a😀",
        ]
        for a in names {
            for b in names {
                #expect(VersionHash.codeUnitOrder(a, b) == a.utf16.lexicographicallyPrecedes(b.utf16), "\(a) \(b)")
            }
        }
    }

    // MARK: Models and hashes recorded in public

    /// The pairs in the folder beside the package.
    static let pairs: [Pair] = {
        guard let url = Corpus.shared?.appendingPathComponent("formats/version-hash-pairs.json"),
            let data = try? Data(contentsOf: url)
        else { return [] }
        return (try? JSONDecoder().decode([Pair].self, from: data)) ?? []
    }()

    struct Pair: Decodable, Sendable, CustomStringConvertible {
        let repo: String
        let model_source: String
        let model: [String: Entity]
        let hashes: [String: String]
        let checksum: String?
        let digest: String?
        var description: String { "\(repo) \(model_source)" }

        struct Entity: Decodable, Sendable {
            let abstract: Bool
            let parent: String?
            let modifier: String?
            let props: [Property]
            let unique: [[String]]?
        }

        struct Property: Decodable, Sendable {
            let kind: String
            let name: String
            let optional: Bool
            let transient: Bool?
            let modifier: String?
            let type: UInt?
            let external: Bool?
            let preserve: Bool?
            let expr: String?
            let elements: [Property]?
            let dest: String?
            let inverse: String?
            let min: Int?
            let max: Int?
            let ordered: Bool?
        }
    }

    @Test(
        "equal those that stores and compiled models in public have", .enabled(if: !pairs.isEmpty, "\(Corpus.absence)"),
        arguments: pairs)
    func publicPairs(_ pair: Pair) throws {
        let model = try Self.model(pair)
        let hashes = model.entityVersionHashesByName
        var full: [String: Data] = [:]
        for (name, want) in pair.hashes {
            let have = try #require(hashes[name].map(Self.hex))
            if want.contains("...") {  // a quotation that left the middle out
                let ends = want.components(separatedBy: "...")
                #expect(have.hasPrefix(ends[0]) && have.hasSuffix(ends[1]))
            } else {
                #expect(have == want)
                full[name] = hashes[name]
            }
        }
        if let checksum = pair.checksum { #expect(VersionHash.checksum(full) == checksum) }
        if let digest = pair.digest { #expect(VersionHash.digest(full) == digest) }
    }

    private static func model(_ pair: Pair) throws -> NSManagedObjectModel {
        var entities: [String: NSEntityDescription] = [:]
        for name in pair.model.keys { entities[name] = NSEntityDescription() }
        for (name, facts) in pair.model {
            let entity = try #require(entities[name])
            entity.name = name
            entity.isAbstract = facts.abstract
            entity.versionHashModifier = facts.modifier
            entity.uniquenessConstraints = facts.unique ?? []
            if let parent = facts.parent.flatMap({ entities[$0] }) { parent.subentities += [entity] }
        }
        for (name, facts) in pair.model {
            entities[name]?.properties = try facts.props.compactMap { try property($0, entities) }
        }
        for (name, facts) in pair.model {
            for fact in facts.props {
                guard let relationship = entities[name]?.relationshipsByName[fact.name], let inverse = fact.inverse
                else {
                    continue
                }
                relationship.inverseRelationshipName = inverse
                relationship.inverseRelationship = relationship.destinationEntity?.relationshipsByName[inverse]
            }
        }
        let model = NSManagedObjectModel()
        model.entities = Array(entities.values)
        return model
    }

    private static func property(
        _ fact: Pair.Property, _ entities: [String: NSEntityDescription]
    ) throws -> NSPropertyDescription? {
        let property: NSPropertyDescription
        switch fact.kind {
        case "attr": property = try described(fact)
        case "rel":
            let relationship = NSRelationshipDescription()
            relationship.destinationEntityName = fact.dest
            relationship.destinationEntity = fact.dest.flatMap { entities[$0] }
            relationship.minCount = fact.min ?? 0
            relationship.maxCount = fact.max ?? 0
            relationship.isOrdered = fact.ordered ?? false
            property = relationship
        default: return nil
        }
        property.name = fact.name
        property.isOptional = fact.optional
        property.isTransient = fact.transient ?? false
        property.versionHashModifier = fact.modifier
        return property
    }

    private static func described(_ fact: Pair.Property) throws -> NSAttributeDescription {
        if let elements = fact.elements {
            let composite = NSCompositeAttributeDescription()
            composite.elements = try elements.map {
                let element = try described($0)
                element.name = $0.name
                element.isOptional = $0.optional
                return element
            }
            return composite
        }
        let attribute = fact.expr == nil ? NSAttributeDescription() : NSDerivedAttributeDescription()
        attribute.attributeType = try #require(NSAttributeType(rawValue: fact.type ?? 0))
        attribute.allowsExternalBinaryDataStorage = fact.external ?? false
        attribute.preservesValueInHistoryOnDeletion = fact.preserve ?? false
        if let text = fact.expr {
            (attribute as? NSDerivedAttributeDescription)?.derivationExpression = try FoundationSupplement.NSExpression(
                validating: text)
        }
        return attribute
    }
}
