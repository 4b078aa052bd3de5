import CoreData

// Fetches by predicates of the common forms, beside hand-written SQL in C (`Yardstick/query.c`) on the same store.
//
//     QueryBenchmark make STORE N              makes a store of N people, N visits and N / 100 companies
//     QueryBenchmark run STORE TIMES [QUERY]   times each query, or one, with fresh objects, and reads their ages
//
// Prints lines like the yardstick's: the checksums must be the same.

let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "make" where arguments.count == 4: try make(arguments[2], Int(arguments[3]) ?? 0)
    case "run" where arguments.count == 4 || arguments.count == 5:
        try run(arguments[2], times: Int(arguments[3]) ?? 1, only: arguments.dropFirst(4).first)
    default:
        FileHandle.standardError.write(Data("usage: QueryBenchmark make STORE N | run STORE TIMES\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = (name, type)
    return attribute
}

func entity(_ name: String, _ attributes: NSAttributeDescription..., indexed: Set<String> = []) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes
    entity.indexes = attributes.filter { indexed.contains($0.name) }.map { attribute in
        NSFetchIndexDescription(
            name: "by\(attribute.name.capitalized)",
            elements: [NSFetchIndexElementDescription(property: attribute, collationType: .binary)])
    }
    return entity
}

func relate(_ owner: NSEntityDescription, _ one: String, _ target: NSEntityDescription, _ many: String) {
    let (toOne, toMany) = (NSRelationshipDescription(), NSRelationshipDescription())
    (toOne.name, toOne.destinationEntity, toOne.maxCount) = (one, target, 1)
    (toMany.name, toMany.destinationEntity, toMany.maxCount) = (many, owner, 0)
    (toOne.inverseRelationship, toMany.inverseRelationship) = (toMany, toOne)
    owner.properties += [toOne]
    target.properties += [toMany]
}

func model() -> NSManagedObjectModel {
    let person = entity(
        "Person", attribute("name", .stringAttributeType), attribute("city", .stringAttributeType),
        attribute("email", .stringAttributeType), attribute("age", .integer64AttributeType),
        attribute("number", .integer64AttributeType), indexed: ["city", "number"])
    let company = entity("Company", attribute("name", .stringAttributeType), indexed: ["name"])
    let visit = entity("Visit", attribute("place", .stringAttributeType))
    relate(person, "company", company, "people")
    relate(visit, "person", person, "visits")
    let model = NSManagedObjectModel()
    model.entities = [person, company, visit]
    return model
}

func context(_ store: String) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store))
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

func make(_ store: String, _ count: Int) throws {
    let context = try context(store)
    func insert(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }
    let companies = (0..<max(1, count / 100)).map { number in
        let company = insert("Company")
        company.setValue("Company \(number)", forKey: "name")
        return company
    }
    for number in 0..<count {
        let person = insert("Person")
        let name = number % 50 == 0 ? "Éva \(number)" : "\(number % 7 == 0 ? "ann" : "Person") Number \(number)"
        person.setValue(name, forKey: "name")
        person.setValue("City \(number % 100)", forKey: "city")
        person.setValue("person\(number)@example.com", forKey: "email")
        person.setValue(number % 90, forKey: "age")
        person.setValue(number, forKey: "number")
        person.setValue(companies[number % companies.count], forKey: "company")
        let visit = insert("Visit")
        visit.setValue("Place \(number % 200)", forKey: "place")
        visit.setValue(person, forKey: "person")
    }
    try context.save()
}

func run(_ store: String, times: Int, only wanted: String?) throws {
    let numbers = (0..<10_000).map { $0 * 17 }
    let queries: [(String, NSPredicate)] = [
        ("equal", NSPredicate(format: "city == %@", "City 42")),
        ("begins", NSPredicate(format: "name BEGINSWITH[cd] %@", "person number 123")),
        ("begins_accent", NSPredicate(format: "name BEGINSWITH[cd] %@", "eva")),
        ("to_one", NSPredicate(format: "company.name == %@", "Company 7")),
        ("any", NSPredicate(format: "ANY visits.place == %@", "Place 7")),
        ("in", NSPredicate(format: "number IN %@", numbers)),
    ]
    let context = try context(store)
    for (name, predicate) in queries where wanted == nil || wanted == name {
        for _ in 0..<times {
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = predicate
            let start = ContinuousClock.now
            let people = try context.fetch(request)
            let fetched = start.duration(to: .now)
            let ages = people.reduce(Int64(0)) { $0 + ((($1.value(forKey: "age") as? NSNumber)?.int64Value) ?? 0) }
            report(name, fetched, ages + Int64(people.count))
        }
    }
}

func report(_ operation: String, _ time: Duration, _ check: Int64) {
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    print("{\"impl\":\"swift\",\"op\":\"\(operation)\",\"s\":\(seconds),\"check\":\(check)}")
}
