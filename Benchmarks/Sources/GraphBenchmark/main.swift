import CoreData

// What a program does with objects, beside what the yardstick does in C with the same rows.
//
//     GraphBenchmark insert STORE MODEL N     makes a store and saves N people in it
//     GraphBenchmark update STORE N           adds one to the score of the first N people, and saves
//     GraphBenchmark fire STORE N             fills N faults one by one, each from the store
//     GraphBenchmark read STORE N             reads properties by key-value coding, in nanoseconds each
//     GraphBenchmark register STORE           fetches all as faults without values, and tells what one takes in memory
//
// One way a run, so that each starts with fresh memory.

let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "insert" where arguments.count == 5: try insert(arguments[2], arguments[3], Int(arguments[4]) ?? 0)
    case "update" where arguments.count == 4: try update(arguments[2], Int(arguments[3]) ?? 0)
    case "fire" where arguments.count == 4: try fire(arguments[2], Int(arguments[3]) ?? 0)
    case "read" where arguments.count == 4: try read(arguments[2], Int(arguments[3]) ?? 0)
    case "register" where arguments.count == 3: try register(arguments[2])
    default:
        FileHandle.standardError.write(Data("usage: GraphBenchmark insert|update|fire|read|register STORE …\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

func context(_ store: String, model: NSManagedObjectModel?, options: [AnyHashable: Any] = [:]) throws
    -> NSManagedObjectContext
{
    let url = URL(fileURLWithPath: store)
    let model = try model ?? NSManagedObjectModel(contentsOfStoreAt: url)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

func insert(_ store: String, _ model: String, _ count: Int) throws {
    guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: model)) else {
        throw CocoaError(.fileReadNoSuchFile)
    }
    // The class that the model names is not in this program.
    for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
    let pragmas = ["journal_mode": "off", "synchronous": "off"]
    let context = try context(store, model: model, options: [NSSQLitePragmasOption: pragmas])
    let values = (0..<count).map { i in
        (
            "Person Number \(i + 1)", "person\(i + 1)@example.com", "City \(i % 1000)",
            i % 2 == 1 ? "note \(i)" : nil as String?
        )
    }
    let start = ContinuousClock.now
    for (i, (name, email, city, note)) in values.enumerated() {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(i + 1, forKey: "identifier")
        person.setValue(name, forKey: "name")
        person.setValue(email, forKey: "email")
        person.setValue(city, forKey: "city")
        person.setValue(i % 90, forKey: "age")
        person.setValue(i * 7919 % 100003, forKey: "score")
        person.setValue(1.5 + Double(i % 50) / 100, forKey: "height")
        person.setValue(50 + Double(i % 500) / 10, forKey: "weight")
        person.setValue(Date(timeIntervalSinceReferenceDate: 7e8 + Double(i)), forKey: "created")
        person.setValue(note, forKey: "note")
    }
    let made = ContinuousClock.now
    try context.save()
    report("insert", start.duration(to: .now))
    report("insert:objects_only", start.duration(to: made))
}

func people(_ context: NSManagedObjectContext, _ count: Int) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
    request.fetchLimit = count
    return try context.fetch(request)
}

func update(_ store: String, _ count: Int) throws {
    let context = try context(store, model: nil)
    let people = try people(context, count)
    for person in people { person.willAccessValue(forKey: nil) }
    let start = ContinuousClock.now
    for person in people {
        person.setValue(((person.value(forKey: "score") as? Int) ?? 0) + 1, forKey: "score")
    }
    try context.save()
    report("update", start.duration(to: .now))
}

func fire(_ store: String, _ count: Int) throws {
    let context = try context(store, model: nil)
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
    request.resultType = .managedObjectIDResultType
    request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
    request.fetchLimit = count
    let faults = try context.fetch(request).map { context.object(with: $0) }
    let start = ContinuousClock.now
    for fault in faults { fault.willAccessValue(forKey: nil) }
    report("fire", start.duration(to: .now))
    guard faults.allSatisfy({ !$0.isFault }) else { throw CocoaError(.coderInvalidValue) }
}

func read(_ store: String, _ count: Int) throws {
    let context = try context(store, model: nil)
    let people = try people(context, count)
    for person in people { person.willAccessValue(forKey: nil) }
    func time(_ key: String) {
        var found = 0
        let start = ContinuousClock.now
        for _ in 0..<10 { for person in people where person.value(forKey: key) != nil { found += 1 } }
        let time = start.duration(to: .now)
        report("read_\(key)_ns", time / max(1, people.count * 10) * 1_000_000_000)
        precondition(found == people.count * 10)
    }
    time("name")
    time("score")
    time("height")
}

func register(_ store: String) throws {
    let context = try context(store, model: nil)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.includesPropertyValues = false
    let before = residentBytes()
    let faults = try context.fetch(request)
    let bytes = Double(residentBytes() - before) / Double(max(1, faults.count))
    print("{\"impl\":\"swift\",\"op\":\"register_bytes\",\"s\":\(bytes),\"check\":0}")
    withExtendedLifetime(faults) {}
}

/// The memory that the process has in use.
func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
}

func report(_ operation: String, _ time: Duration) {
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    print("{\"impl\":\"swift\",\"op\":\"\(operation)\",\"s\":\(seconds),\"check\":0}")
}
