// Newer data, as an app fetches it at run time, merged into the store by name: what is known is updated, what is new is
// added, and nothing comes twice.
//
//     CategoryMergeExample FOLDER DATA.plist
//
// The property list is an array of categories: { name, items: [ { name, price } ] }.

import CoreData

/// What was done, for people.
struct Report {
    var added = 0
    var updated = 0
    var unchanged = 0
}

/// Merges categories on a context of its own, so that the main one stays free, and saves them together.
func merge(_ categories: [[String: Any]], into context: NSManagedObjectContext) throws -> Report {
    var report = Report()
    // Where two programs merge at the same time, the newer values of equal names win.
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    // One look for all names, not one for each.
    let names = categories.compactMap { $0["name"] as? String }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Category")
    request.predicate = NSPredicate(format: "name IN %@", names)
    var known: [String: NSManagedObject] = [:]
    for category in try context.fetch(request) { known[category.value(forKey: "name") as? String ?? ""] = category }
    for data in categories {
        guard let name = data["name"] as? String else { throw CocoaError(.propertyListReadCorrupt) }
        let category = known[name] ?? insert("Category", name, into: context, &report)
        known[name] = category
        var items: [String: NSManagedObject] = [:]
        for item in category.value(forKey: "items") as? Set<NSManagedObject> ?? [] {
            items[item.value(forKey: "name") as? String ?? ""] = item
        }
        for itemData in data["items"] as? [[String: Any]] ?? [] {
            guard let itemName = itemData["name"] as? String else { throw CocoaError(.propertyListReadCorrupt) }
            let isNew = items[itemName] == nil
            let item = items[itemName] ?? insert("Item", itemName, into: context, &report)
            items[itemName] = item
            if isNew { item.setValue(category, forKey: "category") }
            let price = (itemData["price"] as? String).flatMap { Decimal(string: $0) }
            if price != (item.value(forKey: "price") as? NSDecimalNumber)?.decimalValue {
                item.setValue(price, forKey: "price")
                if !isNew { report.updated += 1 }
            } else if !isNew {
                report.unchanged += 1
            }
        }
    }
    try context.save()
    return report
}

func insert(
    _ entity: String, _ name: String, into context: NSManagedObjectContext, _ report: inout Report
) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(name, forKey: "name")
    report.added += 1
    return object
}

guard CommandLine.arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: CategoryMergeExample FOLDER DATA.plist\n".utf8))
    exit(64)
}
do {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    guard let model = NSManagedObjectModel(contentsOf: source.appendingPathComponent("Catalogue.xcdatamodeld")) else {
        throw CocoaError(.fileReadNoSuchFile)
    }
    let container = NSPersistentContainer(name: "Catalogue", managedObjectModel: model)
    container.persistentStoreDescriptions = [
        NSPersistentStoreDescription(
            url: URL(fileURLWithPath: CommandLine.arguments[1]).appendingPathComponent("Catalogue.sqlite"))
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    // The main context learns of what is merged by itself.
    container.viewContext.automaticallyMergesChangesFromParent = true

    let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2]))
    guard let categories = try PropertyListSerialization.propertyList(from: data, format: nil) as? [[String: Any]]
    else {
        throw CocoaError(.propertyListReadCorrupt)
    }
    let background = container.newBackgroundContext()
    let report = try background.performAndWait { try merge(categories, into: background) }
    print("added \(report.added), updated \(report.updated), unchanged \(report.unchanged)")
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [
        NSSortDescriptor(key: "category.name", ascending: true), NSSortDescriptor(key: "name", ascending: true),
    ]
    for item in try container.viewContext.fetch(request) {
        let price = item.value(forKey: "price").map { "\($0)" } ?? "-"
        print("\(item.value(forKeyPath: "category.name") ?? "")/\(item.value(forKey: "name") ?? "") \(price)")
    }
} catch {
    FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
    exit(1)
}
