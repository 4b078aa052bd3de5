// The stack as it was written before containers: three parts, each made when it is first asked for, the context last.
//
//     LazyStackExample FOLDER TEXT…        adds notes to FOLDER/Notes.sqlite and prints all of them

import CoreData

final class Stack {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    lazy var managedObjectModel: NSManagedObjectModel = {
        // An app has the compiled model in its bundle; here the source will do.
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Notes.xcdatamodeld")
        guard let model = NSManagedObjectModel(contentsOf: url) else { fail("there is no model at \(url.path)") }
        return model
    }()

    lazy var persistentStoreCoordinator: NSPersistentStoreCoordinator = {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        // Lightweight migration is switched on, as it should be from the first version.
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        do {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appendingPathComponent("Notes.sqlite"),
                options: options)
        } catch {
            fail("the store can't be opened: \(error.localizedDescription)")
        }
        return coordinator
    }()

    lazy var managedObjectContext: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }()

    func saveContext() throws {
        if managedObjectContext.hasChanges { try managedObjectContext.save() }
    }
}

func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(1)
}

let arguments = CommandLine.arguments
guard arguments.count >= 2 else { fail("usage: LazyStackExample FOLDER TEXT…") }
let stack = Stack(folder: URL(fileURLWithPath: arguments[1]))
let context = stack.managedObjectContext
for text in arguments.dropFirst(2) {
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    note.setValue(text, forKey: "text")
    note.setValue(Date(), forKey: "written")
}
do {
    try stack.saveContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "written", ascending: true)]
    for note in try context.fetch(request) { print(note.value(forKey: "text") as? String ?? "") }
} catch {
    fail(error.localizedDescription)
}
