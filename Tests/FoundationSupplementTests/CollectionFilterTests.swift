import FoundationSupplement
import Testing

/// Collections are filtered and sorted, whatever their elements are.
@Suite struct CollectionFilterTests {
    /// An `NSObject` that opts in.
    final class Station: NSObject, KeyValueCoding {
        var name: String
        var platforms: Int?
        var lines: [Station] = []

        init(_ name: String, _ platforms: Int?, lines: [Station] = []) {
            self.name = name
            self.platforms = platforms
            self.lines = lines
        }

        func value(forKey key: String) -> Any? {
            switch key {
            case "name": name
            case "platforms": platforms
            case "lines": lines
            default: value(forUndefinedKey: key)
            }
        }

        func setValue(_ value: Any?, forKey key: String) {
            switch key {
            case "name": name = value as? String ?? ""
            case "platforms": platforms = value as? Int
            default: setValue(value, forUndefinedKey: key)
            }
        }

        func validateValue(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
            guard key == "name" else { return }
            guard let name = ioValue.pointee as? NSString, name.length > 0 else {
                throw CocoaError(.keyValueValidation)
            }
            ioValue.pointee = name.capitalized as NSString
        }
    }

    private let stations = [Station("Bern", 13), Station("Aarau", 6), Station("Chur", nil), Station("Biel", 6)]

    private var large: NSPredicate { NSPredicate(format: "platforms > %d", 5) }
    private var order: [NSSortDescriptor] {
        [NSSortDescriptor(key: "platforms", ascending: true), NSSortDescriptor(key: "name", ascending: false)]
    }

    private func names(_ elements: some Sequence) -> [String] { elements.compactMap { ($0 as? Station)?.name } }

    @Test func swiftCollections() {
        #expect(names(stations.filtered(using: large)) == ["Bern", "Aarau", "Biel"])
        #expect(Set(names(Set(stations).filtered(using: large))) == ["Bern", "Aarau", "Biel"])
        #expect(names(stations.sorted(using: order)) == ["Chur", "Biel", "Aarau", "Bern"])
        #expect(names(Set(stations).sorted(using: order)) == ["Chur", "Biel", "Aarau", "Bern"])
        #expect([3, 1, 2].filtered(using: NSPredicate(format: "SELF > 1")) == [3, 2])
        #expect(["k": 1, "l": 2].filtered(using: NSPredicate(format: "value == 2")).map(\.key) == ["l"])
    }

    @Test func foundationsCollections() {
        #expect(names(NSArray(array: stations).filtered(using: large)) == ["Bern", "Aarau", "Biel"])
        #expect(NSSet(array: stations).filtered(using: large).count == 3)
        let ordered = NSOrderedSet(array: stations)
        #expect(names(ordered.filtered(using: large)) == ["Bern", "Aarau", "Biel"])
        #expect(names(NSArray(array: stations).sortedArray(using: order)) == ["Chur", "Biel", "Aarau", "Bern"])
        #expect(names(NSSet(array: stations).sortedArray(using: order)) == ["Chur", "Biel", "Aarau", "Bern"])
        #expect(names(ordered.sortedArray(using: order)) == ["Chur", "Biel", "Aarau", "Bern"])
    }

    @Test func mutableCollections() {
        let array = NSMutableArray(array: stations)
        array.filter(using: large)
        #expect(names(array) == ["Bern", "Aarau", "Biel"])
        array.sort(using: order)
        #expect(names(array) == ["Biel", "Aarau", "Bern"])
        let set = NSMutableSet(array: stations)
        set.filter(using: large)
        #expect(set.count == 3)
        let ordered = NSMutableOrderedSet(array: stations)
        ordered.filter(using: large)
        ordered.sort(using: order)
        #expect(names(ordered) == ["Biel", "Aarau", "Bern"])
    }

    @Test(
        arguments: [
            ("@count", 4), ("@sum.platforms", 25), ("@max.platforms", 13), ("@min.platforms", 6),
            ("@avg.platforms", 6.25),
            ("@min.name", "Aarau"), ("@max.name", "Chur"), ("@unionOfObjects.platforms", [13, 6, 6]),
            ("@distinctUnionOfObjects.platforms", [13, 6]), ("@unionOfObjects.name.length", [4, 5, 4, 4]),
        ] as [(String, any Sendable)])
    func operatorsOfObjects(_ path: String, _ expected: any Sendable) {
        let value = NSArray(array: stations).value(forKeyPath: path)
        #expect(PredicateValue.areEqual(PredicateValue(value), PredicateValue(expected)), "\(path): \(value ?? "nil")")
    }

    @Test(
        arguments: [
            ("@unionOfArrays.n", [1, 2, 2, 3]), ("@distinctUnionOfArrays.n", [1, 2, 3]),
            ("@unionOfSets.n", [1, 2, 2, 3]),
            ("@distinctUnionOfSets.n", [1, 2, 3]), ("@count", 2),
        ] as [(String, any Sendable)])
    func operatorsOfCollections(_ path: String, _ expected: any Sendable) throws {
        let rows: [[String: [Int]]] = [["n": [1, 2]], ["n": [2, 3]]]
        let value = try keyPathValue(of: rows, path: path)
        #expect(PredicateValue.areEqual(PredicateValue(value), PredicateValue(expected)), "\(path)")
    }

    @Test func emptyAndMissingCollections() throws {
        for path in ["@avg.n", "@min.n", "@max.n"] { #expect(try keyPathValue(of: [Int](), path: path) == nil) }
        #expect(try keyPathValue(of: [Int](), path: "@sum.n") as? Int == 0)
        #expect(try keyPathValue(of: ["a": NSNull()], path: "a.@count") as? Int == 0)
        #expect(try keyPathValue(of: ["a": NSNull()], path: "a.@max.b") == nil)
        #expect(throws: PredicateEvaluationError.self) { try keyPathValue(of: [1], path: "@count.n") }
        #expect(throws: PredicateEvaluationError.self) { try keyPathValue(of: [1], path: "@sum") }
    }

    @Test func objectsThatOptIn() throws {
        let hub = Station("Olten", 12, lines: stations)
        #expect(hub.value(forKeyPath: "lines.@max.platforms") as? Int == 13)
        #expect(NSPredicate(format: "ANY lines.name BEGINSWITH 'A' AND lines.@count == 4").evaluate(with: hub))
        hub.setValue(1, forKeyPath: "lines.platforms")
        #expect(stations.allSatisfy { $0.platforms == 1 })
        #expect(hub.dictionaryWithValues(forKeys: ["name", "platforms"])["platforms"] as? Int == 12)
        hub.setValuesForKeys(["name": "Brugg", "platforms": NSNull()])
        #expect(hub.name == "Brugg" && hub.platforms == nil)
    }

    @Test func validation() throws {
        let station = Station("x", 1)
        var value: AnyObject? = NSString("zug")
        try station.validateValue(&value, forKey: "name")
        #expect(value as? NSString == "Zug")
        value = NSString("")
        #expect(throws: CocoaError.self) { try station.validateValue(&value, forKey: "name") }
        #expect(throws: CocoaError.self) { try station.validateValue(&value, forKeyPath: "name") }
        try station.validateValue(&value, forKey: "platforms")
    }

    /// What a user's predicate asks of the wrong objects is thrown, not raised.
    @Test func whatCanNotBeEvaluatedIsThrown() throws {
        let predicate = try NSPredicate(validating: "name > 1")
        let error = #expect(throws: PredicateEvaluationError.self) { try predicate.evaluate(validating: stations[0]) }
        #expect(error?.localizedDescription == "Can't compare the string \"Bern\" with the number 1")
        #expect(
            try NSPredicate(validating: "name == $N").evaluate(
                validating: stations[0], substitutionVariables: ["N": "Bern"]))
        #expect(throws: PredicateEvaluationError.self) {
            try NSPredicate(validating: "name == $N").evaluate(validating: stations[0])
        }
    }
}
