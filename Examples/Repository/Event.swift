import CoreData

/// Something that happens in a city. Its accessors are written by hand.
final class Event: NSManagedObject {
    var title: String {
        get { text("title") }
        set { set(newValue, "title") }
    }
    var city: String {
        get { text("city") }
        set { set(newValue, "city") }
    }
    var date: Date {
        get { read("date") as? Date ?? .distantPast }
        set { set(newValue, "date") }
    }

    private func text(_ key: String) -> String { read(key) as? String ?? "" }

    private func read(_ key: String) -> Any? {
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return primitiveValue(forKey: key)
    }

    private func set(_ value: Any?, _ key: String) {
        willChangeValue(forKey: key)
        setPrimitiveValue(value, forKey: key)
        didChangeValue(forKey: key)
    }
}
