import Foundation
import FoundationSupplement
import TestSupport
import Testing

@testable import CoreData

/// Predicates of real programs, over models made from their key paths: SQL finds what memory finds.
@Suite(
    "Predicates of real programs, in SQL and in memory",
    .enabled(if: Corpus.shared != nil, "the corpus of real predicates is not beside the package"))
struct PredicateCorpusTests {
    private static let isSlow = ProcessInfo.processInfo.environment["SLOW_TESTS"] == "1"

    private enum Outcome: Hashable {
        case agreed(some: Bool)
        case refused(String)
        case unfit
    }

    @Test("agree, or are refused for what memory alone can do")
    func agreement() throws {
        let seed = UInt64.random(in: 0..<1_000_000_000)
        var random = Randomness(seed)
        let file = try #require(Corpus.shared).appendingPathComponent("predicates/corpus.tsv")
        var predicates = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .compactMap { CorpusPredicate($0) }
        if !Self.isSlow { predicates = Array(predicates.shuffled(using: &random).prefix(120)) }
        var counts: [Outcome: Int] = [:]
        var refused: [String] = []
        for given in predicates {
            let outcome = try Self.outcome(given, &random, "seed \(seed): \(given.format)")
            counts[outcome, default: 0] += 1
            if case .refused(let reason) = outcome { refused.append("\(given.format): \(reason)") }
        }
        let agreed = [true, false].reduce(0) { $0 + (counts[.agreed(some: $1)] ?? 0) }
        print(
            "Corpus, seed \(seed): of \(predicates.count) predicates \(agreed) agree,"
                + " \(counts[.agreed(some: true)] ?? 0) of them on some of the rows; \(refused.count) are refused,"
                + " \(counts[.unfit] ?? 0) fit no model")
        for line in refused.sorted() where Self.isSlow { print("Refused: \(line)") }
        #expect(agreed * 100 > predicates.count * 65)
    }

    /// How the reasons begin for which a store refuses what is right in memory.
    private static let reasons = [
        "Invalid predicate: nil RHS", "Unsupported", "unimplemented SQL generation", "keypath ",
        "to-many key not allowed",
        "multiple to-many keys not allowed", "an object or object ID is expected", "a value of type ",
        "Can't get value for",
        "The left hand side for an ALL or ANY", "Can't do regex matching",
    ]

    private static func outcome(
        _ given: CorpusPredicate, _ random: inout Randomness, _ place: String
    ) throws -> Outcome {
        let predicate = try given.predicate()
        let shape = ModelShape()
        do { try shape.note(predicate) } catch { return .unfit }
        let entities = shape.entities()
        let model = NSManagedObjectModel()
        model.entities = entities
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        context.persistentStoreCoordinator = coordinator
        try fill(context, entities, Constants(predicate), &random)
        let request = NSFetchRequest<NSManagedObject>(entityName: "E0")
        let rows = try context.fetch(request)
        request.predicate = predicate
        let inStore: Set<NSManagedObject>
        do { inStore = Set(try context.fetch(request)) } catch let error as CocoaError {
            let reason = error.userInfo["reason"] as? String ?? "\(error)"
            #expect(reasons.contains { reason.hasPrefix($0) }, "\(place): \(reason)")
            return .refused(reason)
        }
        let meaning = StoreMeaning(root: entities[0]).predicate(predicate)
        do {
            let inMemory = Set(try rows.filter { try meaning.evaluateThrowing(with: $0, variables: [:]) })
            #expect(inStore == inMemory, "\(place): \(inStore.count) in the store, \(inMemory.count) in memory")
        } catch {
            return .refused("in memory only: \(error)")
        }
        return .agreed(some: !inStore.isEmpty && inStore.count < rows.count)
    }

    /// Values that the predicate compares with, so that some rows match.
    private struct Constants {
        var strings = ["a", "b", "A", "x y"]
        var numbers: [Double] = [0, 1, 2, 3]
        var dates = (0..<3).map { Date(timeIntervalSinceReferenceDate: Double($0) * 1000) }

        init(_ predicate: NSPredicate) { note(predicate) }

        private mutating func note(_ predicate: NSPredicate) {
            switch predicate {
            case let compound as Foundation.NSCompoundPredicate: for part in compound.subpredicates { note(part) }
            case let comparison as FoundationSupplement.NSComparisonPredicate:
                note(comparison.leftExpression)
                note(comparison.rightExpression)
            default: break
            }
        }

        private mutating func note(_ expression: FoundationSupplement.NSExpression) {
            switch expression.storage {
            case .constant(let value): for element in collectionElements(of: value) ?? [value] { note(element) }
            case .aggregate(let elements): for element in elements { note(element) }
            case .subquery(_, _, let predicate): note(predicate)
            default: break
            }
        }

        private mutating func note(_ value: Any?) {
            switch PredicateValue(value) {
            case .string(let text): strings += [text, text, "\(text)z"]
            case .number(let number) where abs(number.double) < 1e9: numbers += [number.double, number.double]
            case .date(let date): dates.append(date)
            default: break
            }
        }
    }

    private static func fill(
        _ context: NSManagedObjectContext, _ entities: [NSEntityDescription], _ constants: Constants,
        _ random: inout Randomness
    ) throws {
        var objects: [[NSManagedObject]] = []
        for entity in entities {
            objects.append(
                (0..<10).map { _ in
                    let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
                    for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key }) {
                        object.setValue(value(attribute.attributeType, constants, &random), forKey: name)
                    }
                    return object
                })
        }
        for (entity, own) in zip(entities, objects) {
            for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where !name.hasPrefix("inverse_") {
                guard let place = entities.firstIndex(where: { $0 === relationship.destinationEntity }) else {
                    continue
                }
                for object in own where !random.chance(5) {
                    let others = objects[place].filter { _ in random.chance(4) }
                    object.setValue(relationship.isToMany ? Set(others) : others.first, forKey: name)
                }
            }
        }
        try context.save()
    }

    private static func value(_ type: NSAttributeType, _ constants: Constants, _ random: inout Randomness) -> Any? {
        switch type {
        case .stringAttributeType: random.maybe(constants.strings)
        case .integer64AttributeType: random.maybe(constants.numbers).map { Int($0) }
        case .doubleAttributeType: random.maybe(constants.numbers)
        case .dateAttributeType: random.maybe(constants.dates)
        case .UUIDAttributeType: random.maybe(PredicateDifferentialTests.uuids)
        default: nil
        }
    }
}
