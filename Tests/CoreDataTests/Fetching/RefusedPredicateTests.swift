import Foundation
import Testing

@testable import CoreData

/// What Apple's SQLite store refuses is refused before any SQL runs, with Apple's words where they are known.
@Suite("Predicates and orders that a store refuses")
struct RefusedPredicateTests {
    /// A format and the beginning of the reason.
    static let refusals: [(format: String, reason: String)] = [
        // Keys.
        ("missing == 1", "keypath missing not found in entity <NSSQLEntity City id="),
        ("country.missing == 1", "keypath country.missing not found in entity <NSSQLEntity City id="),
        ("ANY tags.missing == 1", "keypath missing not found in entity <NSSQLEntity Tag id="),
        ("SUBQUERY(tags, $t, $t.missing == 1).@count > 0", "keypath missing not found in entity <NSSQLEntity Tag id="),
        ("name.length == 1", "keypath name.length not found in entity <NSSQLEntity City id="),
        ("ANY tags.count == 1", "keypath count not found in entity <NSSQLEntity Tag id="),
        ("note == 'a'", "You cannot fetch using a predicate based on transient properties"),
        ("country.capital.note == 'a'", "You cannot fetch using a predicate based on transient properties"),
        // To-many steps.
        ("tags == $T", "to-many key not allowed here"), ("tags > 1", "to-many key not allowed here"),
        ("tags == nil", "to-many key not allowed here"), ("tags.name == 'a'", "to-many key not allowed here"),
        ("name == tags.name", "to-many key not allowed here"),
        ("country.cities.name BEGINSWITH 'a'", "to-many key not allowed here"),
        ("ANY tags.cities.name == 'a'", "multiple to-many keys not allowed here"),
        ("ANY country.cities.tags.name == 'a'", "multiple to-many keys not allowed here"),
        ("ALL twins.twin.tags == $T", "multiple to-many keys not allowed here"),
        ("tags.@max.cities.people > 1", "multiple to-many keys not allowed here"),
        // Operands of the wrong kind.
        ("people CONTAINS[cd] \"rec\"", "unimplemented SQL generation for predicate : (people CONTAINS[cd] \"rec\")"),
        ("people LIKE '1*'", "unimplemented SQL generation for predicate : (people LIKE \"1*\")"),
        ("founded > 5", "unimplemented SQL generation for predicate : (founded > 5)"),
        ("name > 5", "unimplemented SQL generation for predicate : (name > 5)"),
        ("country > 1", "unimplemented SQL generation for predicate"),
        ("link > $L", "unimplemented SQL generation for predicate"),
        ("name BETWEEN 5", "unimplemented SQL generation for predicate"),
        ("country == 'a'", "an object or object ID is expected"), ("SELF == 5", "an object or object ID is expected"),
        ("country IN {1, 2}", "an object or object ID is expected"), ("entity == 'City'", "an entity is expected"),
        ("name > nil", "Invalid predicate: nil RHS"), ("name CONTAINS nil", "Invalid predicate: nil RHS"),
        ("nil < people", "Invalid predicate: nil RHS"), ("name BETWEEN nil", "Invalid predicate: nil RHS"),
        ("name MATCHES '('", "Can't do regex matching, reason:"),
        ("ANY 'abc' == 'a'", "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet."),
        // Functions and forms for memory alone.
        ("count:(name) == 1", "Unsupported function expression count:(name)"),
        ("count:(country.cities.tags) == 1", "Unsupported function expression count:(country.cities.tags)"),
        ("median(tags.weight) > 1", "Unsupported function expression median:(tags.weight)"),
        ("FUNCTION(name, 'uppercase') == 'A'", "Unsupported function expression"),
        ("distanceToLocation:fromLocation:(name, title) > 1", "Unsupported function expression"),
        ("name[0] == 'a'", "Unsupported function expression name[0]"),
        ("streets[FIRST] == nil", "Unsupported function expression streets[FIRST]"),
        ("tags.@distinctUnionOfObjects.name == 'a'", "Unsupported function expression"),
        ("people + name > 1", "Unsupported function expression"), ("-name == 1", "Unsupported function expression"),
        ("SELF isKindOfClass: name", "unimplemented SQL generation for predicate"),
        ("ANYKEY == 'a'", "Unsupported expression"), ("tags UNION twins == tags", "Unsupported expression"),
        // Variables.
        ("name == $x", "Can't get value for 'x' in bindings"),
        ("$x.name == 'a'", "Can't get value for 'x' in bindings"),
        ("SUBQUERY(tags, $x, $y.name == 'a').@count > 0", "Can't get value for 'y' in bindings"),
        ("SUBQUERY(name, $x, $x == 1).@count > 0", "Unsupported collection in SUBQUERY"),
    ]

    @Test("throw 134060 with the reason, in fetches and counts, whatever stands beside them")
    func refused() throws {
        let fixture = try HostilePredicateTests.fixture()
        for (format, reason) in Self.refusals {
            let variables: [String: Any] = ["T": NSNull(), "L": URL(fileURLWithPath: "/")]
            let predicate = NSPredicate(format: format).withSubstitutionVariables(variables)
            for whole in [
                predicate, NSCompoundPredicate(orPredicateWithSubpredicates: [.init(value: true), predicate]),
            ] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "City")
                request.predicate = whole
                check(format, reason) { _ = try fixture.context.fetch(request) }
                check(format, reason) { _ = try fixture.context.count(for: request) }
            }
        }
    }

    @Test("orders by what has none, or that only memory knows")
    func orders() throws {
        let fixture = try HostilePredicateTests.fixture()
        let refusals: [(NSSortDescriptor, String)] = [
            (NSSortDescriptor(key: "missing", ascending: true), "keypath missing not found in entity"),
            (NSSortDescriptor(key: "note", ascending: true), "You cannot fetch using a predicate based on transient"),
            (NSSortDescriptor(key: "tags", ascending: true), "to-many key not allowed here"),
            (NSSortDescriptor(key: "tags.@count", ascending: true), "to-many key not allowed here"),
            (NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }, "unsupported NSSortDescriptor"),
        ]
        for (descriptor, reason) in refusals {
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.sortDescriptors = [descriptor]
            check("\(descriptor)", reason) { _ = try fixture.context.fetch(request) }
        }
    }

    @Test("values that a store keeps as other bytes than a program sees compare with nil alone")
    func opaque() throws {
        let large = Build.attribute("large", .binaryDataAttributeType)
        large.allowsExternalBinaryDataStorage = true
        let fixture = try Fixture(
            Build.model(Build.entity("Item", [large, Build.attribute("made", .transformableAttributeType)])))
        fixture.insert("Item", ["large": Data([1])])
        try fixture.context.save()
        #expect(try fixture.context.find("Item", "large != nil AND made == nil").count == 1)
        for key in ["large", "made"] {
            for format in ["%K == %@", "%K IN {%@}", "%K > %@"] {
                check("\(key) \(format)", "unimplemented SQL generation for predicate") {
                    _ = try fixture.context.find("Item", format, key, Data([1]))
                }
            }
        }
    }

    @Test("a block")
    func block() throws {
        let fixture = try HostilePredicateTests.fixture()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.predicate = NSPredicate { _, _ in true }
        check("block", "Problem with subpredicate BLOCKPREDICATE") { _ = try fixture.context.fetch(request) }
    }

    private func check(_ what: String, _ reason: String, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("\(what) is not refused")
        } catch let error as CocoaError {
            #expect(error.code == .coreData, "\(what)")
            let found = error.userInfo["reason"] as? String ?? ""
            #expect(found.hasPrefix(reason), "\(what): \(found)")
        } catch {
            Issue.record("\(what): \(error)")
        }
    }
}
