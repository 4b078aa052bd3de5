// A repository: predicates and sorting in one class, none in the rest of the program.
//
//     RepositoryExample FOLDER

import CoreData

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: RepositoryExample FOLDER\n".utf8))
    exit(64)
}
do {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    guard let model = NSManagedObjectModel(contentsOf: source.appendingPathComponent("Events.xcdatamodeld")) else {
        throw CocoaError(.fileReadNoSuchFile)
    }
    let container = NSPersistentContainer(name: "Events", managedObjectModel: model)
    container.persistentStoreDescriptions = [
        NSPersistentStoreDescription(
            url: URL(fileURLWithPath: CommandLine.arguments[1]).appendingPathComponent("Events.sqlite"))
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }

    let repository = EventRepository(context: container.viewContext)
    let day: TimeInterval = 86_400
    let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    repository.add("Concert", in: "Bergen", on: start + 3 * day)
    repository.add("Market", in: "Bergen", on: start + day)
    repository.add("Regatta", in: "Oslo", on: start + 2 * day)
    let past = repository.add("Lecture", in: "Bergen", on: start - day)
    try repository.save()
    print("to come in Bergen:", try repository.events(in: "Bergen", after: start).map(\.title).joined(separator: ", "))
    print("the next one:", try repository.events(in: "Bergen", after: start, limit: 1).map(\.title).joined())
    print("in BERGEN:", try repository.count(in: "BERGEN"))
    repository.remove(past)
    try repository.save()
    print("without the past:", try repository.count(in: "Bergen"))
} catch {
    FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
    exit(1)
}
