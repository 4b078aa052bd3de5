import Foundation
import Testing

@testable import CoreData

/// Random operations on a graph beside a plain Swift model of what should be.
@Suite("A random graph")
struct ObjectGraphPropertyTests {
    /// Every kind of relationship between two entities, one of which has a sub-entity.
    static func model() -> NSManagedObjectModel {
        let special = Build.entity("Special", [Build.attribute("extra", .integer32AttributeType)])
        let node = Build.entity("Node", [Build.attribute("name", .stringAttributeType), Build.attribute("number", .integer64AttributeType)], subentities: [special])
        let leaf = Build.entity("Leaf", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(node, "leaves"), Build.one(leaf, "node"))
        Build.relate(Build.many(node, "rows", isOrdered: true), Build.one(leaf, "rowNode"))
        Build.relate(Build.one(node, "partner"), Build.one(leaf, "partnerNode"))
        Build.relate(Build.many(node, "tags"), Build.many(leaf, "tagNodes"))
        Build.relate(Build.many(node, "steps", isOrdered: true), Build.many(leaf, "stepNodes", isOrdered: true))
        Build.relate(Build.many(node, "children"), Build.one(node, "parent"))
        Build.relate(Build.many(special, "links"), Build.many(node, "linked"))
        Build.relateToSelf(Build.many(node, "friends"))
        return Build.model(node, special, leaf)
    }

    /// The names of a node's relationships and those that lead back.
    static let toMany = [
        ("Node", "leaves", "Leaf"), ("Node", "rows", "Leaf"), ("Node", "tags", "Leaf"), ("Node", "steps", "Leaf"), ("Leaf", "tagNodes", "Node"),
        ("Leaf", "stepNodes", "Node"), ("Node", "children", "Node"), ("Node", "friends", "Node"), ("Special", "links", "Node"),
        ("Node", "linked", "Special"),
    ]
    static let toOne = [
        ("Leaf", "node", "Node"), ("Leaf", "rowNode", "Node"), ("Node", "partner", "Leaf"), ("Leaf", "partnerNode", "Node"), ("Node", "parent", "Node"),
    ]
    static let ordered: Set<String> = ["rows", "steps", "stepNodes"]

    /// What should be: for each object, named by a number, its values; relations as lists of names.
    struct Expectation: Equatable {
        struct Thing: Equatable {
            var entity: String
            var number: Int?
            var ends: [String: [String]] = [:]
        }
        var things: [String: Thing] = [:]

        static let inverses = [
            "leaves": "node", "node": "leaves", "rows": "rowNode", "rowNode": "rows", "partner": "partnerNode", "partnerNode": "partner",
            "tags": "tagNodes", "tagNodes": "tags", "steps": "stepNodes", "stepNodes": "steps", "children": "parent", "parent": "children",
            "links": "linked", "linked": "links", "friends": "friends",
        ]
        static let single: Set<String> = ["node", "rowNode", "partner", "partnerNode", "parent"]

        mutating func unlink(_ a: String, _ key: String, _ b: String) {
            things[a]?.ends[key]?.removeAll { $0 == b }
            things[b]?.ends[Self.inverses[key] ?? ""]?.removeAll { $0 == a }
        }

        mutating func link(_ a: String, _ key: String, _ b: String) {
            let back = Self.inverses[key] ?? ""
            if things[a]?.ends[key]?.contains(b) == true { return }
            if Self.single.contains(key), let old = things[a]?.ends[key]?.first { unlink(a, key, old) }
            if Self.single.contains(back), let old = things[b]?.ends[back]?.first { unlink(b, back, old) }
            things[a]?.ends[key, default: []].append(b)
            if !(a == b && key == back) { things[b]?.ends[back, default: []].append(a) }
        }

        mutating func set(_ a: String, _ key: String, _ others: [String]) {
            for old in things[a]?.ends[key] ?? [] where !others.contains(old) { unlink(a, key, old) }
            for new in others { link(a, key, new) }
            if ObjectGraphPropertyTests.ordered.contains(key) { things[a]?.ends[key] = others }
        }

        mutating func delete(_ name: String) {
            for (key, others) in things[name]?.ends ?? [:] { for other in others { unlink(name, key, other) } }
            things[name] = nil
        }

        /// The same for graphs that don't differ: sets sorted, empty ends left out.
        var normal: [String: Thing] {
            things.mapValues { thing in
                var thing = thing
                thing.ends = thing.ends.filter { !$0.value.isEmpty }
                for (key, names) in thing.ends where !ObjectGraphPropertyTests.ordered.contains(key) { thing.ends[key] = names.sorted() }
                return thing
            }
        }
    }

    /// What a context has.
    static func read(_ context: NSManagedObjectContext) throws -> Expectation {
        var result = Expectation()
        for entity in ["Node", "Leaf"] {
            for object in try context.find(entity) {
                var thing = Expectation.Thing(entity: object.entity.name ?? "")
                if entity == "Node" { thing.number = (object.value(forKey: "number") as? NSNumber)?.intValue }
                for (key, relationship) in object.entity.relationshipsByName {
                    if relationship.isOrdered { thing.ends[key] = object.orderedNames(key) } else if relationship.isToMany {
                        thing.ends[key] = object.names(key)
                    } else { thing.ends[key] = object.object(key).map { [$0.name] } ?? [] }
                }
                result.things[object.name] = thing
            }
        }
        return result
    }

    /// Keys that lead nowhere, positions without keys and the other way round: all counts are to be 0.
    static func checkFile(_ fixture: Fixture, _ note: String) throws {
        #expect(try fixture.value("PRAGMA integrity_check") == "ok", "\(note)")
        for (table, key, target) in [
            ("ZLEAF", "ZNODE", "ZNODE"), ("ZLEAF", "ZROWNODE", "ZNODE"), ("ZLEAF", "ZPARTNERNODE", "ZNODE"), ("ZNODE", "ZPARTNER", "ZLEAF"),
            ("ZNODE", "ZPARENT", "ZNODE"),
        ] {
            let sql = "SELECT COUNT(*) FROM \(table) WHERE \(key) IS NOT NULL AND \(key) NOT IN (SELECT Z_PK FROM \(target))"
            #expect(try fixture.value(sql) == "0", "\(note): \(table).\(key)")
        }
        for row in try fixture.rows("PRAGMA table_info(ZNODE)") where row[1]?.contains("_PAREN") == true {
            let column = row[1] ?? ""
            #expect(try fixture.value("SELECT COUNT(*) FROM ZNODE WHERE (ZPARENT IS NULL) <> (\(column) IS NULL)") == "0", "\(note)")
            let wrong = "SELECT COUNT(*) FROM ZNODE a JOIN ZNODE b ON a.ZPARENT = b.Z_PK WHERE a.\(column) <> b.Z_ENT"
            #expect(try fixture.value(wrong) == "0", "\(note)")
        }
        #expect(try fixture.value("SELECT COUNT(*) FROM ZLEAF WHERE (ZROWNODE IS NULL) <> (Z_FOK_ROWNODE IS NULL)") == "0", "\(note)")
        let twice = "SELECT COUNT(*) FROM (SELECT 1 FROM ZLEAF WHERE ZROWNODE NOT NULL GROUP BY ZROWNODE, Z_FOK_ROWNODE HAVING COUNT(*) > 1)"
        #expect(try fixture.value(twice) == "0", "\(note)")
        let oneToOne = "SELECT COUNT(*) FROM ZNODE n JOIN ZLEAF l ON n.ZPARTNER = l.Z_PK WHERE l.ZPARTNERNODE IS NOT n.Z_PK"
        #expect(try fixture.value(oneToOne) == "0", "\(note)")
        for table in try fixture.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'") {
            let table = table ?? ""
            for column in try fixture.rows("PRAGMA table_info(\(table))").compactMap({ $0[1] }) {
                let isOrder = column.hasPrefix("Z_FOK")
                let target = column.hasPrefix("Z_1") ? "ZLEAF" : "ZNODE"
                let sql = isOrder
                    ? "SELECT COUNT(*) FROM \(table) WHERE \(column) IS NULL"
                    : "SELECT COUNT(*) FROM \(table) WHERE \(column) NOT IN (SELECT Z_PK FROM \(target))"
                #expect(try fixture.value(sql) == "0", "\(note): \(table).\(column)")
            }
        }
        for (name, table) in [("Node", "ZNODE"), ("Leaf", "ZLEAF")] {
            let sql = "SELECT Z_MAX >= (SELECT IFNULL(MAX(Z_PK), 0) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'"
            #expect(try fixture.value(sql) == "1", "\(note)")
        }
    }

    @Test("is after each save what the operations made of it, in the context, in the file and in a fresh context", arguments: Randomness.seeds(6))
    func random(_ seed: UInt64) throws {
        var random = Randomness(seed)
        let fixture = try Fixture(Self.model())
        var context = fixture.context
        var want = Expectation()
        var saved = want
        var objects: [String: NSManagedObject] = [:]
        var count = 0
        for step in 0..<400 {
            let note = "seed \(seed), step \(step)"
            let names = objects.keys.sorted()
            func candidates(_ entity: String) -> [String] {
                names.filter { entity == "Node" ? want.things[$0]?.entity != "Leaf" : want.things[$0]?.entity == entity }
            }
            switch random.next(20) {
            case 0...4:
                count += 1
                let (name, entity) = ("o\(count)", random.pick(["Node", "Special", "Leaf", "Leaf"]))
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValue(name, forKey: "name")
                objects[name] = object
                want.things[name] = .init(entity: entity)
            case 5...8:
                let (source, key, target) = random.pick(Self.toOne)
                guard let a = candidates(source).isEmpty ? nil : random.pick(candidates(source)) else { continue }
                let b = random.maybe(candidates(target) + [""])?.nonEmpty
                objects[a]?.setValue(b.flatMap { objects[$0] }, forKey: key)
                if let b { want.link(a, key, b) } else if let old = want.things[a]?.ends[key]?.first { want.unlink(a, key, old) }
            case 9...13:
                let (source, key, target) = random.pick(Self.toMany)
                guard let a = candidates(source).isEmpty ? nil : random.pick(candidates(source)) else { continue }
                var others = (want.things[a]?.ends[key] ?? []).filter { _ in !random.chance(4) }
                for name in candidates(target) where random.chance(6) && !others.contains(name) { others.append(name) }
                if random.chance(3) { others.shuffle(using: &random) }
                let list = others.compactMap { objects[$0] }
                objects[a]?.setValue(Self.ordered.contains(key) ? NSOrderedSet(array: list) as Any : Set(list), forKey: key)
                want.set(a, key, others)
            case 14:
                guard let name = candidates("Node").isEmpty ? nil : random.pick(candidates("Node")) else { continue }
                want.things[name]?.number = random.next(5)
                objects[name]?.setValue(want.things[name]?.number, forKey: "number")
            case 15:
                guard let name = names.isEmpty ? nil : random.pick(names), let object = objects[name] else { continue }
                context.delete(object)
                context.processPendingChanges()
                want.delete(name)
                objects[name] = nil
            case 16:
                context.rollback()
                want = saved
                objects = try Self.objects(context)
                #expect(try Self.read(context).normal == want.normal, "\(note): after rollback")
            case 17:
                try context.save()
                saved = want
                try Self.checkFile(fixture, note)
                #expect(try Self.read(try fixture.freshContext()).normal == want.normal, "\(note): fresh")
                #expect(!context.hasChanges)
                // Go on in another context, whose objects are all unread.
                if random.chance(2) {
                    context = fixture.secondContext()
                    objects = try Self.objects(context)
                }
            default:
                #expect(try Self.read(context).normal == want.normal, "\(note): unsaved")
            }
        }
    }

    static func objects(_ context: NSManagedObjectContext) throws -> [String: NSManagedObject] {
        let all = try context.find("Node") + context.find("Leaf")
        return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
