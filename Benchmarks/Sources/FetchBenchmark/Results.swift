import CoreData

func measureIDs(_ url: URL) throws {
    let context = try context(url)
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
    request.resultType = .managedObjectIDResultType
    let start = ContinuousClock.now
    let ids = try context.fetch(request)
    report("ids", start.duration(to: .now), Int64(ids.count))
    withExtendedLifetime(ids) {}
}

func measureCount(_ url: URL) throws {
    let context = try context(url)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    let start = ContinuousClock.now
    let count = try context.count(for: request)
    report("count", start.duration(to: .now), Int64(count))
}

func measureDictionaries(_ url: URL) throws {
    let context = try context(url)
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    let start = ContinuousClock.now
    let people = try context.fetch(request)
    let time = start.duration(to: .now)
    let check = people.reduce(Int64(0)) { sum, person in
        func number(_ key: String) -> Int64 { (person[key] as? NSNumber)?.int64Value ?? 0 }
        func length(_ key: String) -> Int64 { Int64((person[key] as? String)?.utf8.count ?? 0) }
        return sum + number("score") + (person["note"] == nil ? 0 : 1) + number("identifier") + number("age")
            + length("name") + length("email") + length("city") + length("note")
    }
    report("dictionaries", time, check)
}

/// The time to the first object, and the most memory that a walk through all takes.
func measureBatches(_ url: URL, isLazy: Bool) throws {
    let context = try context(url)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.fetchBatchSize = 1_000
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let name = isLazy ? "lazy" : "batches"
    let start = ContinuousClock.now
    var first: ContinuousClock.Instant?
    var check: Int64 = 0
    func visit(_ person: NSManagedObject) {
        check += (person.value(forKey: "identifier") as? NSNumber)?.int64Value ?? 0
        if first == nil { first = .now }
    }
    if isLazy {
        for person in try context.batchedFetch(request) { visit(person) }
    } else {
        for person in try context.fetch(request) { visit(person) }
    }
    report("\(name)_first", start.duration(to: first ?? .now), 1)
    report("\(name)_all", start.duration(to: .now), check)
    print("{\"impl\":\"swift\",\"op\":\"\(name)_megabytes\",\"s\":\(peakMegabytes()),\"check\":0}")
}

/// The most memory that the process has had.
func peakMegabytes() -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").compactMap { Double($0) }.first ?? 0) / 1_000
}
