import CoreData

/// A kind of object that predicates are evaluated with.
struct Subject {
    let name: String
    let objects: [Any]

    /// Measures the usual comparisons with the objects.
    func measure() {
        measure("age > 18", comparisons: 1)
        measure("name == \"Anna 77\"", comparisons: 1)
        measure("age > 18 AND name BEGINSWITH \"Anna\"", comparisons: 2)
    }

    private func measure(_ format: String, comparisons: Int) {
        let predicate = NSPredicate(format: format)
        let repetitions = 20
        PredicateBenchmark.measure("\(name): \(format)", count: objects.count * repetitions * comparisons) {
            var held = 0
            for _ in 0..<repetitions {
                for object in objects where predicate.evaluate(with: object) { held += 1 }
            }
            return held
        }
    }
}

enum Subjects {
    private static let count = 1_000

    static var all: [Subject] {
        [
            Subject(name: "managed object", objects: managedObjects),
            Subject(name: "key-value coding", objects: make { Coded(age: $0, name: $1) }),
            Subject(name: "Swift dictionary", objects: make { ["age": $0, "name": $1] as [String: Any] }),
            Subject(name: "NSDictionary", objects: make { NSDictionary(dictionary: ["age": $0, "name": $1]) }),
            Subject(name: "Swift structure", objects: make { Structure(age: $0, name: $1) }),
            Subject(name: "Swift class", objects: make { Plain(age: $0, name: $1) }),
        ]
    }

    /// Objects of an entity with two attributes, without a context.
    private static var managedObjects: [Any] {
        let entity = NSEntityDescription()
        entity.name = "Person"
        let (age, name) = (NSAttributeDescription(), NSAttributeDescription())
        (age.name, age.attributeType) = ("age", .integer64AttributeType)
        (name.name, name.attributeType) = ("name", .stringAttributeType)
        entity.properties = [age, name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return make {
            let object = NSManagedObject(entity: entity, insertInto: nil)
            object.setValue($0, forKey: "age")
            object.setValue($1, forKey: "name")
            return object
        }
    }

    static func make(_ object: (Int, String) -> Any) -> [Any] {
        (0..<count).map { object($0 % 60, "Anna \($0)") }
    }

    /// An object that opts in to key-value coding.
    final class Coded: KeyValueCoding {
        let age: Int
        let name: String

        init(age: Int, name: String) {
            self.age = age
            self.name = name
        }

        func value(forKey key: String) -> Any? {
            switch key {
            case "age": age
            case "name": name
            default: nil
            }
        }

        func setValue(_ value: Any?, forKey key: String) {}
    }

    struct Structure {
        let age: Int
        let name: String
    }

    final class Plain {
        let age: Int
        let name: String

        init(age: Int, name: String) {
            self.age = age
            self.name = name
        }
    }
}
