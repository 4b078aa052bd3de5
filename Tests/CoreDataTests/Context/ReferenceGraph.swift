import Foundation

@testable import CoreData

/// What a graph of objects should be, in plain values: objects are named, and both ends of a relationship are lists of
/// names.
struct ReferenceGraph: Equatable {
    struct Thing: Equatable {
        var entity: String
        var number: Int?
        var text: String?
        var ends: [String: [String]] = [:]
    }

    struct Relationship {
        let name, source, target, inverse: String
        var isToMany = true
        var isOrdered = false
        var rule = NSDeleteRule.nullifyDeleteRule
    }

    static let relationships: [Relationship] = [
        Relationship(name: "children", source: "Node", target: "Node", inverse: "parent", rule: .cascadeDeleteRule),
        Relationship(name: "parent", source: "Node", target: "Node", inverse: "children", isToMany: false),
        Relationship(name: "friends", source: "Node", target: "Node", inverse: "friends"),
        Relationship(name: "leaf", source: "Node", target: "Leaf", inverse: "leafNode", isToMany: false),
        Relationship(name: "leafNode", source: "Leaf", target: "Node", inverse: "leaf", isToMany: false),
        Relationship(name: "row", source: "Node", target: "Leaf", inverse: "rowNode", isOrdered: true),
        Relationship(name: "rowNode", source: "Leaf", target: "Node", inverse: "row", isToMany: false),
        Relationship(name: "tags", source: "Node", target: "Leaf", inverse: "tagNodes"),
        Relationship(name: "tagNodes", source: "Leaf", target: "Node", inverse: "tags"),
        Relationship(name: "path", source: "Node", target: "Leaf", inverse: "pathNodes", isOrdered: true),
        Relationship(name: "pathNodes", source: "Leaf", target: "Node", inverse: "path"),
        Relationship(name: "guards", source: "Node", target: "Leaf", inverse: "guarded", rule: .denyDeleteRule),
        Relationship(name: "guarded", source: "Leaf", target: "Node", inverse: "guards", isToMany: false),
    ]

    static let byName = Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })

    /// The same as a model. `text` of a leaf is unique.
    static func model() -> NSManagedObjectModel {
        func attributes() -> [NSPropertyDescription] {
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("number", .integer64AttributeType),
                Build.attribute("text", .stringAttributeType),
            ]
        }
        let special = Build.entity("Special")
        let node = Build.entity("Node", attributes(), subentities: [special])
        let leaf = Build.entity("Leaf", attributes())
        leaf.uniquenessConstraints = [["text"]]
        let entities = ["Node": node, "Leaf": leaf]
        func end(_ relationship: Relationship) -> Build.End? {
            entities[relationship.source].map {
                Build.End(
                    entity: $0, name: relationship.name, isToMany: relationship.isToMany,
                    isOrdered: relationship.isOrdered, rule: relationship.rule)
            }
        }
        for relationship in relationships where relationship.name <= relationship.inverse {
            guard let inverse = byName[relationship.inverse], let a = end(relationship), let b = end(inverse) else {
                continue
            }
            if relationship.name == inverse.name { Build.relateToSelf(a) } else { Build.relate(a, b) }
        }
        return Build.model(node, special, leaf)
    }

    var things: [String: Thing] = [:]

    func names(_ entity: String) -> [String] {
        things.filter { ($0.value.entity == "Leaf") == (entity == "Leaf") }.keys.sorted()
    }

    func ends(_ name: String, _ key: String) -> [String] { things[name]?.ends[key] ?? [] }

    mutating func unlink(_ a: String, _ relationship: Relationship, _ b: String) {
        things[a]?.ends[relationship.name]?.removeAll { $0 == b }
        things[b]?.ends[relationship.inverse]?.removeAll { $0 == a }
    }

    mutating func link(_ a: String, _ relationship: Relationship, _ b: String) {
        if ends(a, relationship.name).contains(b) { return }
        let inverse = Self.byName[relationship.inverse]
        if !relationship.isToMany, let old = ends(a, relationship.name).first { unlink(a, relationship, old) }
        if let inverse, !inverse.isToMany, let old = ends(b, inverse.name).first { unlink(b, inverse, old) }
        things[a]?.ends[relationship.name, default: []].append(b)
        if a != b || relationship.name != relationship.inverse {
            things[b]?.ends[relationship.inverse, default: []].append(a)
        }
    }

    mutating func set(_ a: String, _ relationship: Relationship, _ others: [String]) {
        for old in ends(a, relationship.name) where !others.contains(old) { unlink(a, relationship, old) }
        for new in others { link(a, relationship, new) }
        if relationship.isOrdered { things[a]?.ends[relationship.name] = others }
    }

    /// What goes with an object, by cascade.
    func closure(_ name: String) -> Set<String> {
        var result: Set<String> = []
        var waiting = [name]
        while let next = waiting.popLast() {
            if !result.insert(next).inserted { continue }
            for (key, others) in things[next]?.ends ?? [:] where Self.byName[key]?.rule == .cascadeDeleteRule {
                waiting += others
            }
        }
        return result
    }

    /// Whether a deny rule stands against the deletion of an object.
    func isDenied(_ name: String) -> Bool {
        closure(name).contains { gone in
            (things[gone]?.ends ?? [:]).contains {
                Self.byName[$0.key]?.rule == .denyDeleteRule && !$0.value.isEmpty
            }
        }
    }

    mutating func delete(_ name: String) {
        for gone in closure(name) {
            for (key, others) in things[gone]?.ends ?? [:] {
                guard let relationship = Self.byName[key] else { continue }
                for other in others { unlink(gone, relationship, other) }
            }
            things[gone] = nil
        }
    }

    /// The same for graphs that don't differ: sets sorted, empty ends left out.
    var normal: [String: Thing] {
        things.mapValues { thing in
            var thing = thing
            thing.ends = thing.ends.filter { !$0.value.isEmpty }
            for (key, names) in thing.ends where Self.byName[key]?.isOrdered != true {
                thing.ends[key] = names.sorted()
            }
            return thing
        }
    }

    /// Where this and another differ, for a failure's message.
    func difference(_ other: ReferenceGraph) -> String {
        let (mine, theirs) = (normal, other.normal)
        return Set(mine.keys).union(theirs.keys).sorted().filter { mine[$0] != theirs[$0] }.map { name in
            "\(name): \(mine[name].map { "\($0)" } ?? "none") instead of \(theirs[name].map { "\($0)" } ?? "none")"
        }.joined(separator: "\n")
    }

    // MARK: Reading

    /// What a context has.
    init(_ context: NSManagedObjectContext) throws {
        for object in try context.find("Node") + context.find("Leaf") {
            var thing = Thing(entity: object.entity.name ?? "")
            thing.number = object.value(forKey: "number") as? Int
            thing.text = object.value(forKey: "text") as? String
            for (key, relationship) in object.entity.relationshipsByName {
                if relationship.isOrdered {
                    thing.ends[key] = object.orderedNames(key)
                } else if relationship.isToMany {
                    thing.ends[key] = object.names(key)
                } else {
                    thing.ends[key] = object.object(key).map { [$0.name] } ?? []
                }
            }
            things[object.name] = thing
        }
    }

    init() {}

    /// What the file has, by plain SQL.
    init(file fixture: Fixture) throws {
        let numbers = Dictionary(
            uniqueKeysWithValues: try fixture.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY").map {
                ($0[0], $0[1] ?? "")
            })
        for table in ["ZNODE", "ZLEAF"] {
            for row in try fixture.rows("SELECT ZNAME, Z_ENT, ZNUMBER, ZTEXT FROM \(table)") {
                things[row[0] ?? ""] = Thing(
                    entity: numbers[row[1]] ?? "", number: row[2].flatMap { Int($0) }, text: row[3])
            }
        }
        func add(_ key: String, _ sql: String) throws {
            for row in try fixture.rows(sql) {
                things[row[0] ?? ""]?.ends[key, default: []].append(row[1] ?? "dangling")
            }
        }
        // One query for each end; a key that leads nowhere is a difference.
        for (table, target, key) in [
            ("ZNODE", "ZNODE", "parent"), ("ZNODE", "ZLEAF", "leaf"), ("ZLEAF", "ZNODE", "leafNode"),
            ("ZLEAF", "ZNODE", "rowNode"), ("ZLEAF", "ZNODE", "guarded"),
        ] {
            let column = "Z" + key.uppercased()
            try add(
                key,
                "SELECT a.ZNAME, b.ZNAME FROM \(table) a LEFT JOIN \(target) b ON b.Z_PK = a.\(column)"
                    + " WHERE a.\(column) NOT NULL")
        }
        try add("children", "SELECT p.ZNAME, c.ZNAME FROM ZNODE c JOIN ZNODE p ON p.Z_PK = c.ZPARENT")
        try add("guards", "SELECT n.ZNAME, l.ZNAME FROM ZLEAF l JOIN ZNODE n ON n.Z_PK = l.ZGUARDED")
        try add(
            "row", "SELECT n.ZNAME, l.ZNAME FROM ZLEAF l JOIN ZNODE n ON n.Z_PK = l.ZROWNODE ORDER BY Z_FOK_ROWNODE")
        for key in ["tags", "path", "friends"] {
            guard let relationship = Self.byName[key],
                let table = try fixture.rows("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap(\.first)
                    .compactMap(\.self).first(where: {
                        $0.hasPrefix("Z_")
                            && ($0.hasSuffix(key.uppercased()) || $0.hasSuffix(relationship.inverse.uppercased()))
                    })
            else { continue }
            let columns = try fixture.rows("PRAGMA table_info(\(table))").compactMap { $0[1] }
            let order = columns.first { $0.hasPrefix("Z_FOK") }
            if key == "friends" {
                for (a, b) in zip(columns, columns.reversed()) {
                    let sql =
                        "SELECT a.ZNAME, b.ZNAME FROM \(table) j LEFT JOIN ZNODE a ON a.Z_PK = j.\(a) LEFT JOIN ZNODE b"
                        + " ON b.Z_PK = j.\(b)"
                    for row in try fixture.rows(sql) where !ends(row[0] ?? "", key).contains(row[1] ?? "") {
                        things[row[0] ?? ""]?.ends[key, default: []].append(row[1] ?? "dangling")
                    }
                }
                continue
            }
            let leaf = columns.first { !$0.hasPrefix("Z_FOK") && $0.hasPrefix("Z_1") } ?? ""
            let node = columns.first { !$0.hasPrefix("Z_FOK") && $0.hasPrefix("Z_2") } ?? ""
            let from = "\(table) j LEFT JOIN ZNODE n ON n.Z_PK = j.\(node) LEFT JOIN ZLEAF l ON l.Z_PK = j.\(leaf)"
            try add(key, "SELECT n.ZNAME, l.ZNAME FROM \(from) ORDER BY \(order ?? "1")")
            try add(relationship.inverse, "SELECT l.ZNAME, n.ZNAME FROM \(from)")
        }
    }
}
