import CoreData

// Reads a store as programs do, one way a run, so that each starts with fresh memory, as the yardstick does. Prints lines
// like the yardstick's: the checksums must be the same.
//
//     FetchBenchmark STORE faults|filled              every object and every property, with key-value coding
//     FetchBenchmark STORE ids|dictionaries|count     the other types of results
//     FetchBenchmark STORE batches|lazy               a walk through all objects in batches of 1,000, sorted
//     FetchBenchmark STORE teams N                    makes a store of N members in teams of 100
//     FetchBenchmark STORE prefetch                   reads the teams with their members

let arguments = CommandLine.arguments
do {
    guard arguments.count >= 3 else { throw CocoaError(.keyValueValidation) }
    let url = URL(fileURLWithPath: arguments[1])
    switch arguments[2] {
    case "faults": try measure(url, asFaults: true)
    case "filled": try measure(url, asFaults: false)
    case "ids": try measureIDs(url)
    case "dictionaries": try measureDictionaries(url)
    case "count": try measureCount(url)
    case "batches", "lazy": try measureBatches(url, isLazy: arguments[2] == "lazy")
    case "teams": try Teams.make(url, Int(arguments.last ?? "") ?? 0)
    case "prefetch": try Teams.measure(url)
    default: throw CocoaError(.keyValueValidation)
    }
} catch {
    FileHandle.standardError.write(Data("usage: FetchBenchmark STORE WAY, or: \(error)\n".utf8))
    exit(1)
}

/// A context over the store's people.
func context(_ url: URL, _ model: NSManagedObjectModel? = nil) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(
        managedObjectModel: try model ?? NSManagedObjectModel(contentsOfStoreAt: url))
    try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true]
    )
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

func measure(_ url: URL, asFaults: Bool) throws {
    let model = try NSManagedObjectModel(contentsOfStoreAt: url)
    let start = ContinuousClock.now
    let context = try context(url, model)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.returnsObjectsAsFaults = asFaults
    let people = try context.fetch(request)
    let fetched = ContinuousClock.now
    let check = try people.reduce(0) { $0 + (try checksum($1)) }
    let end = ContinuousClock.now
    withExtendedLifetime(people) {}  // the yardstick doesn't free its rows in the measured time either
    let operation = asFaults ? "fetch_and_read" : "fetch_filled_and_read"
    report(operation, start.duration(to: end), check)
    report("\(operation):fetch_only", start.duration(to: fetched), Int64(people.count))
}

/// The sum that the yardstick makes of a row: all ten properties take part.
func checksum(_ person: NSManagedObject) throws -> Int64 {
    func number(_ key: String) -> Int64 { (person.value(forKey: key) as? NSNumber)?.int64Value ?? 0 }
    func length(_ key: String) -> Int64 { Int64((person.value(forKey: key) as? String)?.utf8.count ?? 0) }
    let note = person.value(forKey: "note") as? String
    let height = (person.value(forKey: "height") as? NSNumber)?.doubleValue ?? .nan
    let weight = (person.value(forKey: "weight") as? NSNumber)?.doubleValue ?? .nan
    guard height > 0, weight > 0, person.value(forKey: "created") is Date else {
        throw CocoaError(.coderInvalidValue)
    }
    return number("score") + (note == nil ? 0 : 1) + number("identifier") + number("age") + length("name")
        + length("email") + length("city") + Int64(note?.utf8.count ?? 0)
}

func report(_ operation: String, _ time: Duration, _ check: Int64) {
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    print("{\"impl\":\"swift\",\"op\":\"\(operation)\",\"s\":\(seconds),\"check\":\(check)}")
}
