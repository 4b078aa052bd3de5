import CoreData

// Reads every object of a store's Person table and every property of each, as a program does: with key-value coding.
// Prints lines like the yardstick's: the checksum must be the same.
//
//     FetchBenchmark STORE faults|filled
//
// One way a run, so that each starts with fresh memory, as the yardstick does.

let arguments = CommandLine.arguments
guard arguments.count == 3, ["faults", "filled"].contains(arguments[2]) else {
    FileHandle.standardError.write(Data("usage: FetchBenchmark STORE faults|filled\n".utf8))
    exit(64)
}
do {
    try measure(URL(fileURLWithPath: arguments[1]), asFaults: arguments[2] == "faults")
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

func measure(_ url: URL, asFaults: Bool) throws {
    let model = try NSManagedObjectModel(contentsOfStoreAt: url)
    let start = ContinuousClock.now
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true]
    )
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
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
