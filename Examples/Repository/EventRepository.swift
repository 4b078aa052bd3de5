import CoreData

/// All questions about events that the program asks, and all ways in which it changes them, in one place.
struct EventRepository {
    let context: NSManagedObjectContext

    /// The events in a city after a date, the next one first.
    func events(in city: String, after date: Date, limit: Int = 0) throws -> [Event] {
        let request = NSFetchRequest<Event>(entityName: "Event")
        request.predicate = NSPredicate(format: "city == %@ and date > %@", city, date)
        request.sortDescriptors = [
            NSSortDescriptor(key: "date", ascending: true), NSSortDescriptor(key: "title", ascending: true),
        ]
        request.fetchLimit = limit
        return try context.fetch(request)
    }

    func count(in city: String) throws -> Int {
        let request = NSFetchRequest<Event>(entityName: "Event")
        request.predicate = NSPredicate(format: "city ==[cd] %@", city)
        return try context.count(for: request)
    }

    @discardableResult
    func add(_ title: String, in city: String, on date: Date) -> Event {
        let event = Event(context: context)
        (event.title, event.city, event.date) = (title, city, date)
        return event
    }

    func remove(_ event: Event) { context.delete(event) }

    func save() throws { try context.save() }
}
