import Foundation
import FoundationSupplement
import Testing

@testable import CoreData

@Suite("A fetch with what came from an archive")
struct LockedPredicateTests {
    let fixture: Fixture

    init() throws {
        fixture = try ConcurrencyTests.fixture()
        fixture.insert("City", ["name": "a"])
        try fixture.context.save()
    }

    /// What secure coding makes of an object.
    private func read<Object: NSObject>(_ object: Object) throws -> Object {
        let classes: [AnyClass] = [NSPredicate.self, NSSortDescriptor.self, NSString.self, NSNumber.self]
        return try #require(try SecureArchive.object(in: SecureArchive.data(of: object), classes: classes) as? Object)
    }

    @Test(
        "is refused until its predicate is allowed, whatever the predicate is",
        arguments: [
            "name == 'a'", "people > 0 AND name LIKE 'a*'", "SUBQUERY(country.cities, $c, $c.name == 'b').@count == 0",
        ])
    func predicates(_ format: String) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        let predicate = try read(NSPredicate(format: format))
        request.predicate = predicate
        #expect(errorCode { _ = try fixture.context.fetch(request) }?.rawValue == 134060)
        #expect(errorCode { _ = try fixture.context.count(for: request) }?.rawValue == 134060)
        request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [NSPredicate(value: true), predicate])
        #expect(errorCode { _ = try fixture.context.fetch(request) }?.rawValue == 134060)
        predicate.allowEvaluation()
        request.predicate = predicate
        _ = try fixture.context.fetch(request)
    }

    @Test("is refused until its sort descriptor is allowed")
    func descriptors() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        let descriptor = try read(NSSortDescriptor(key: "name", ascending: true))
        request.sortDescriptors = [descriptor]
        #expect(errorCode { _ = try fixture.context.fetch(request) }?.rawValue == 134060)
        descriptor.allowEvaluation()
        #expect(try fixture.context.fetch(request).map(\.name) == ["a"])
    }
}
