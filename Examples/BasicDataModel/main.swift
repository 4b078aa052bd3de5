// A reusable data model with a preinstalled store.
//
//     BasicDataModelExample FOLDER RESOURCES NAME      counts a visit to a place, and prints all places

import CoreData

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
    FileHandle.standardError.write(Data("usage: BasicDataModelExample FOLDER RESOURCES NAME\n".utf8))
    exit(64)
}

/// The app's own data model: only what differs is said.
final class PlacesModel: BasicDataModel {
    // The model's source stands beside this file; an app has the compiled one among its resources.
    override var pathToModel: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Places.xcdatamodeld")
    }
}

do {
    let context = try PlacesModel(
        folder: URL(fileURLWithPath: arguments[1]), resources: URL(fileURLWithPath: arguments[2])
    ).context()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
    request.predicate = NSPredicate(format: "name == %@", arguments[3])
    let place =
        try context.fetch(request).first ?? NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
    place.setValue(arguments[3], forKey: "name")
    place.setValue((place.value(forKey: "visits") as? Int ?? 0) + 1, forKey: "visits")
    try context.save()
    request.predicate = nil
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    for place in try context.fetch(request) {
        print("\(place.value(forKey: "name") ?? "")\t\(place.value(forKey: "visits") ?? 0)")
    }
} catch {
    FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
    exit(1)
}
