import CoreData

/// Members in teams of 100.
enum Teams {
    private static var model: NSManagedObjectModel {
        let (team, member) = (NSEntityDescription(), NSEntityDescription())
        (team.name, member.name) = ("Team", "Member")
        let (members, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (members.name, members.destinationEntity, members.inverseRelationship) = ("members", member, owner)
        (owner.name, owner.destinationEntity, owner.inverseRelationship) = ("team", team, members)
        owner.maxCount = 1
        team.properties = [attribute("name", .stringAttributeType), members]
        member.properties = [
            attribute("name", .stringAttributeType), attribute("number", .integer64AttributeType), owner,
        ]
        let model = NSManagedObjectModel()
        model.entities = [team, member]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType) = (name, type)
        return attribute
    }

    static func make(_ url: URL, _ count: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var team: NSManagedObject?
        for index in 0..<count {
            if index % 100 == 0 {
                team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
                team?.setValue("team \(index / 100)", forKey: "name")
            }
            let member = NSEntityDescription.insertNewObject(forEntityName: "Member", into: context)
            member.setValue("Member Number \(index)", forKey: "name")
            member.setValue(index, forKey: "number")
            member.setValue(team, forKey: "team")
        }
        try context.save()
    }

    static func measure(_ url: URL) throws {
        let context = try context(url, model)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        request.relationshipKeyPathsForPrefetching = ["members"]
        let start = ContinuousClock.now
        let teams = try context.fetch(request)
        let time = start.duration(to: .now)
        var check: Int64 = 0
        for team in teams {
            for member in team.value(forKey: "members") as? Set<NSManagedObject> ?? [] {
                check += (member.value(forKey: "number") as? NSNumber)?.int64Value ?? 0
                check += Int64((member.value(forKey: "name") as? String)?.utf8.count ?? 0)
            }
        }
        report("prefetch", time, check)
    }
}
