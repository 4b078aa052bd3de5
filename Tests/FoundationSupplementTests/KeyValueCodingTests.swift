import FoundationSupplement
import Testing

/// Values by key and key path.
@Suite struct KeyValueCodingTests {
    final class Node: KeyValueCoding {
        var values: [String: Any] = [:]

        init(_ values: [String: Any]) {
            self.values = values
        }

        func value(forKey key: String) -> Any? { values[key] }
        func setValue(_ value: Any?, forKey key: String) { values[key] = value }
    }

    struct Plain {
        var name: String? = "plain"
        var inner = Inner()

        struct Inner {
            var numbers = [1, 2]
        }
    }

    @Test func paths() {
        let leaf = Node(["name": "leaf", "price": 2])
        let root = Node(["leaf": leaf, "leaves": [leaf, Node(["price": 3])]])
        #expect(root.value(forKeyPath: "leaf.name") as? String == "leaf")
        #expect(root.value(forKeyPath: "none.name") == nil)
        #expect(root.value(forKeyPath: "leaves.@sum.price") as? Int == 5)
        let names = root.value(forKeyPath: "leaves.name") as? [Any]
        #expect(names?.count == 2 && names?[1] is NSNull)
        root.setValue("new", forKeyPath: "leaf.name")
        #expect(leaf.values["name"] as? String == "new")
        root.setValue(9, forKeyPath: "leaves.price")
        #expect(root.value(forKeyPath: "leaves.@sum.price") as? Int == 18)
        let dictionary = leaf.dictionaryWithValues(forKeys: ["name", "other"])
        #expect(dictionary["name"] as? String == "new" && dictionary["other"] is NSNull)
        leaf.setValuesForKeys(["name": NSNull(), "price": 1])
        #expect(leaf.values["name"] == nil && leaf.values["price"] as? Int == 1)
    }

    @Test func plainValues() throws {
        #expect(try keyPathValue(of: Plain(), path: "inner.numbers.@count") as? Int == 2)
        #expect(try keyPathValue(of: Plain(name: nil), path: "name") == nil)
        #expect(try keyPathValue(of: Plain(), path: "name.length") as? Int == 5)
        #expect(throws: PredicateEvaluationError.self) { try keyPathValue(of: Plain(), path: "nothing") }
        #expect(try keyPathValue(of: nil, path: "a.b") == nil)
        #expect(try keyPathValue(of: 5, path: "self") as? Int == 5)
    }

    @Test func collections() throws {
        let set = Set([["name": "a"], ["name": "b"]])
        #expect(try keyPathValue(of: set, path: "name") as? Set<String> == ["a", "b"])
        let prices = [["price": NSDecimalNumber(string: "1.5")], ["price": NSDecimalNumber(string: "2.25")]]
        #expect(try keyPathValue(of: prices, path: "@sum.price") as? Decimal == Decimal(string: "3.75"))
        #expect(try keyPathValue(of: NSSet(array: prices.map { _ in ["n": 1] }), path: "n") as? Set<Int> == [1])
        #expect(try keyPathValue(of: prices, path: "@distinctUnionOfObjects.price.self") as? [Any] != nil)
        let nested = [["items": [1, 2]], ["items": [2, 3]]]
        #expect(try keyPathValue(of: nested, path: "@unionOfArrays.items") as? [Int] == [1, 2, 2, 3])
        #expect(try keyPathValue(of: nested, path: "@distinctUnionOfArrays.items") as? [Int] == [1, 2, 3])
        #expect(try keyPathValue(of: [Int](), path: "@avg.self") == nil)
        #expect(try keyPathValue(of: NSOrderedSet(array: [3, 1]), path: "@max.self") as? Int == 3)
    }

    @Test func keyPathNames() {
        struct Item {
            var title = ""
            var inner: Plain?
            var computed: Int { 1 }
        }
        #expect(KeyPathNames.name(for: \Item.title) == "title")
        #expect(KeyPathNames.name(for: \Item.inner?.inner) == "inner.inner")
        #expect(KeyPathNames.name(for: \Item.computed) == nil)
        KeyPathNames.register([\Item.computed: "computed"])
        #expect(KeyPathNames.name(for: \Item.computed) == "computed")
        #expect(NSExpression(forKeyPath: \Item.title).keyPath == "title")
    }
}

/// Foundation's collections read their elements.
@Suite struct CollectionKeyValueCodingTests {
    @Test func reading() {
        let rows: [[String: Any]] = [["n": 1], ["n": 2], [:]]
        let array = NSArray(array: rows)
        #expect((array.value(forKey: "n") as? [Any])?.count == 3)
        #expect(array.value(forKeyPath: "@sum.n") as? Int == 3)
        #expect(NSSet(array: [["n": 1], ["n": 2]]).value(forKey: "n") as? Set<Int> == [1, 2])
        #expect(NSOrderedSet(array: ["bb", "a"]).value(forKey: "length") as? [Int] == [2, 1])
        #expect(NSDictionary(dictionary: ["a": ["b": 5]]).value(forKeyPath: "a.b") as? Int == 5)
    }

    @Test func setting() {
        let nodes = [KeyValueCodingTests.Node([:]), KeyValueCodingTests.Node([:])]
        NSArray(array: nodes).setValue(4, forKey: "n")
        #expect(nodes.allSatisfy { $0.values["n"] as? Int == 4 })
        let dictionary = NSMutableDictionary(dictionary: ["n": 1])
        dictionary.setValue(nil, forKey: "n")
        #expect(dictionary.count == 0)
    }

    /// The hash of an NSDecimalNumber never ends on Linux.
    @Test func decimals() throws {
        let one = NSDecimalNumber(string: "1.5")
        let set = NSMutableSet()
        set.add(KeyValueCodingTests.Node(["price": one]))
        set.add(KeyValueCodingTests.Node(["price": one]))
        #expect((set.value(forKey: "price") as? Set<AnyHashable>)?.count == 1)
        #expect(set.value(forKeyPath: "@sum.price") as? Decimal == 3)
        let predicate = try NSPredicate(validating: "price IN %@", arguments: [[one, NSDecimalNumber(string: "2")]])
        #expect(try predicate.evaluateThrowing(with: ["price": Decimal(2)]))
        #expect(predicate.hash == predicate.hash)
        let mode = try NSExpression(validating: "mode(%@)", arguments: [[one, one, 2]]).evaluateThrowing(with: nil)
        #expect((mode as? [Any])?.count == 1)
    }
}
