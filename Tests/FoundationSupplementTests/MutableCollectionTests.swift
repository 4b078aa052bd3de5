import FoundationSupplement
import Testing

@Suite("Mutable collections of key-value coding")
struct MutableCollectionTests {
    final class Note: KeyValueCoding {
        var values: [String: Any] = [:]
        /// How often a value was set.
        var writes = 0

        func value(forKey key: String) -> Any? { values[key] }
        func setValue(_ value: Any?, forKey key: String) {
            writes += 1
            values[key] = value
        }
        func tags(_ key: String) -> Set<String> { Set((values[key] as? NSSet)?.compactMap { $0 as? String } ?? []) }
        func list(_ key: String) -> [String] {
            (values[key] as? NSOrderedSet)?.compactMap { $0 as? String }
                ?? (values[key] as? NSArray)?.compactMap { $0 as? String } ?? []
        }
    }

    // MARK: Sets

    @Test("a set's changes are changes of the property, and nil counts as empty")
    func setChanges() {
        let note = Note()
        let tags = note.mutableSetValue(forKey: "tags")
        #expect(tags.count == 0 && tags.anyObject() == nil)
        tags.add("a")
        tags.add("a")
        #expect(note.tags("tags") == ["a"] && note.writes == 1)
        tags.addObjects(from: ["b", "c", "b"])
        #expect(note.tags("tags") == ["a", "b", "c"] && note.writes == 2)
        tags.remove("a")
        tags.remove("nothing")
        #expect(note.tags("tags") == ["b", "c"] && note.writes == 3)
        tags.union(["c", "d", "e"])
        #expect(note.tags("tags") == ["b", "c", "d", "e"])
        tags.minus(["b", "x"])
        tags.intersect(["c", "d", "x"])
        #expect(note.tags("tags") == ["c", "d"])
        tags.setSet(["d", "z"])
        #expect(note.tags("tags") == ["d", "z"])
        tags.removeAllObjects()
        #expect(note.tags("tags") == [] && note.writes == 8)
    }

    @Test("a set shows what the property has now")
    func setIsLive() {
        let note = Note()
        let tags = note.mutableSetValue(forKey: "tags")
        for value: Any in [NSSet(array: ["x", "y"]), Set(["x", "y"]), ["x", "y"], NSOrderedSet(array: ["x", "y"])] {
            note.values["tags"] = value
            #expect(tags.count == 2 && tags.contains("x") && !tags.contains("z"))
        }
        note.values["tags"] = NSNull()
        #expect(tags.count == 0)
    }

    @Test("what a set derives from its elements is right")
    func setDerived() {
        let note = Note()
        let (tags, plain) = (note.mutableSetValue(forKey: "tags"), NSSet(array: ["a", "b"]))
        tags.addObjects(from: ["a", "b"])
        #expect(Set(tags.compactMap { $0 as? String }) == ["a", "b"])
        #expect(Set(tags.allObjects.compactMap { $0 as? String }) == ["a", "b"])
        #expect(["a", "b"].contains(tags.anyObject() as? String))
        #expect(tags.member("a") as? String == "a" && tags.member("c") == nil)
        #expect(tags.isEqual(to: ["a", "b"]) && tags.isEqual(plain) && plain.isEqual(tags) && tags == plain)
        #expect(tags.isEqual(Set(["a", "b"])) && !tags.isEqual(NSSet(array: ["a", "c"])) && !tags.isEqual("a"))
        #expect(tags.isEqual(NSMutableSet(array: ["a", "b"])) && NSMutableSet(array: ["a", "b"]).isEqual(tags))
        #expect(tags.hash == plain.hash)
        #expect(tags.isSubset(of: ["a", "b", "c"]) && !tags.isSubset(of: ["a"]))
        #expect(tags.intersects(["b", "x"]) && !tags.intersects(["x"]))
        #expect(tags.adding("c") as? Set<String> == ["a", "b", "c"])
        #expect(NSSet(set: tags) == plain && NSArray(array: tags.allObjects).count == 2)
        #expect(tags.objects { object, _ in object as? String == "a" } as? Set<String> == ["a"])
        var seen = 0
        tags.enumerateObjects { _, stop in
            seen += 1
            stop.pointee = true
        }
        #expect(seen == 1)
        #expect(tags.description.contains("a") && tags.description.contains("b"))
        #expect(tags.sortedArray(using: [NSSortDescriptor(key: "self", ascending: false)]) as? [String] == ["b", "a"])
        #expect(tags.value(forKey: "length") as? Set<Int> == [1])
        #expect(tags.value(forKeyPath: "@count") as? Int == 2)
    }

    @Test("two proxies of equal sets are equal")
    func setProxies() {
        let (one, other) = (Note(), Note())
        for note in [one, other] { note.values["tags"] = NSSet(array: ["a"]) }
        let (a, b) = (one.mutableSetValue(forKey: "tags"), other.mutableSetValue(forKey: "tags"))
        #expect(a == b)
        b.add("b")
        #expect(a != b)
    }

    @Test("copies are sets of their own")
    func setCopies() throws {
        let note = Note()
        let tags = note.mutableSetValue(forKey: "tags")
        tags.add("a")
        let copy = try #require(tags.copy() as? NSSet)
        let mutable = try #require(tags.mutableCopy() as? NSMutableSet)
        mutable.add("b")
        tags.add("c")
        #expect(copy == NSSet(array: ["a"]) && mutable == NSSet(array: ["a", "b"]))
        #expect(note.tags("tags") == ["a", "c"])
        // The value that the property got is not the proxy.
        #expect(note.values["tags"] as? Set<String> == ["a", "c"])
    }

    @Test("a set may be changed while it is iterated")
    func changeWhileIterating() {
        let note = Note()
        let tags = note.mutableSetValue(forKey: "tags")
        tags.addObjects(from: ["a", "b", "c"])
        for tag in tags { tags.remove(tag) }
        #expect(tags.count == 0)
    }

    @Test("as? Set gives an empty set for a proxy: Foundation's bridging knows its own classes only")
    func bridging() {
        let note = Note()
        let tags = note.mutableSetValue(forKey: "tags")
        tags.add("a")
        // When this fails, Foundation has learnt it: take the warnings out.
        #expect(tags as? Set<String> == [])
    }

    // MARK: Ordered sets

    @Test("an ordered set's changes are changes of the property")
    func orderedChanges() {
        let note = Note()
        let list = note.mutableOrderedSetValue(forKey: "list")
        list.addObjects(from: ["a", "b", "c"])
        #expect(note.list("list") == ["a", "b", "c"] && note.writes == 1)
        list.add("a")
        #expect(note.writes == 1)
        list.insert("x", at: 1)
        #expect(note.list("list") == ["a", "x", "b", "c"])
        list.removeObject(at: 0)
        list.replaceObject(at: 0, with: "y")
        #expect(note.list("list") == ["y", "b", "c"])
        list.exchangeObject(at: 0, withObjectAt: 2)
        #expect(note.list("list") == ["c", "b", "y"])
        list.moveObjects(at: [2], to: 0)
        #expect(note.list("list") == ["y", "c", "b"])
        list.insert(["p", "q"], at: [0, 2])
        #expect(note.list("list") == ["p", "y", "q", "c", "b"])
        list.setObject("last", at: 5)
        list[0] = "first"
        #expect(note.list("list") == ["first", "y", "q", "c", "b", "last"])
        list.removeObjects(in: NSRange(location: 1, length: 2))
        list.removeObjects(at: [0])
        #expect(note.list("list") == ["c", "b", "last"])
        list.remove("b")
        list.removeObjects(in: ["last", "none"])
        #expect(note.list("list") == ["c"])
        list.union(NSOrderedSet(array: ["c", "d"]))
        list.unionSet(["d", "e"])
        #expect(note.list("list") == ["c", "d", "e"])
        list.minus(NSOrderedSet(array: ["d"]))
        list.minusSet(["c"])
        #expect(note.list("list") == ["e"])
        list.addObjects(from: ["f", "g"])
        list.intersect(NSOrderedSet(array: ["g", "e"]))
        #expect(note.list("list") == ["e", "g"])
        list.intersectSet(["g"])
        #expect(note.list("list") == ["g"])
        list.removeAllObjects()
        #expect(note.list("list") == [])
    }

    @Test("an ordered set sorts its property")
    func orderedSorting() {
        let note = Note()
        note.values["list"] = NSOrderedSet(array: ["b", "c", "a"])
        let list = note.mutableOrderedSetValue(forKey: "list")
        list.sort { a, b in (a as? String ?? "").compare(b as? String ?? "") }
        #expect(note.list("list") == ["a", "b", "c"])
        list.sort(using: [NSSortDescriptor(key: "self", ascending: false)])
        #expect(note.list("list") == ["c", "b", "a"])
    }

    @Test("one change writes the property once")
    func oneWrite() {
        let note = Note()
        let list = note.mutableOrderedSetValue(forKey: "list")
        list.addObjects(from: (0..<100).map { "\($0)" })
        list.removeObjects(at: IndexSet(10..<90))
        list.moveObjects(at: IndexSet(0..<5), to: 10)
        #expect(note.writes == 3)
    }

    @Test("what an ordered set derives from its elements is right, also after the property was set")
    func orderedDerived() {
        let note = Note()
        let list = note.mutableOrderedSetValue(forKey: "list")
        for names in [["a", "b", "c"], ["c", "d"], []] {
            note.values["list"] = NSOrderedSet(array: names)
            #expect(list.count == names.count)
            for (index, name) in names.enumerated() {
                #expect(list.object(at: index) as? String == name && list[index] as? String == name)
                #expect(list.index(of: name) == index && list.contains(name))
            }
            #expect(!list.contains("x"))
            #expect(list.firstObject as? String == names.first && list.lastObject as? String == names.last)
            #expect(list.map { $0 as? String } == names)
            #expect(list.array as? [String] == names && list.set as? Set<String> == Set(names))
            #expect(list.reversed.array as? [String] == names.reversed())
            #expect(list.isEqual(NSOrderedSet(array: names)) && NSOrderedSet(array: names).isEqual(list))
            #expect(list.isSubset(of: Set(["a", "b", "c", "d"])))
            var seen: [String] = []
            list.enumerateObjects { object, index, _ in seen.append("\(object)\(index)") }
            #expect(seen == names.enumerated().map { "\($1)\($0)" })
            #expect(list.index { object, _, _ in object as? String == "c" } == names.firstIndex(of: "c") ?? NSNotFound)
            #expect((list.copy() as? NSOrderedSet)?.array as? [String] == names)
            #expect((list.mutableCopy() as? NSOrderedSet)?.array as? [String] == names)
            #expect(list.value(forKeyPath: "@count") as? Int == names.count)
        }
    }

    @Test("elements that are equal but not the same are told apart")
    func equalElements() {
        final class Box: NSObject {
            override func isEqual(_ object: Any?) -> Bool { object is Box }
            override var hash: Int { 1 }
        }
        let (note, one, other) = (Note(), Box(), Box())
        note.values["list"] = NSOrderedSet(array: [one])
        let list = note.mutableOrderedSetValue(forKey: "list")
        note.values["list"] = NSOrderedSet(array: [other])
        #expect(list.object(at: 0) as AnyObject === other)
    }

    @Test("a property that doesn't take a change keeps what it has, and the ordered set shows it")
    func refused() {
        final class Stubborn: KeyValueCoding {
            func value(forKey key: String) -> Any? { NSOrderedSet(array: ["kept"]) }
            func setValue(_ value: Any?, forKey key: String) {}
        }
        let list = Stubborn().mutableOrderedSetValue(forKey: "list")
        list.add("new")
        #expect(list.array as? [String] == ["kept"])
    }

    // MARK: Arrays

    @Test("an array's changes are changes of the property")
    func arrayChanges() {
        let note = Note()
        let list = note.mutableArrayValue(forKey: "list")
        list.add("b")
        list.insert("a", at: 0)
        list.addObjects(from: ["b", "c"])
        #expect(note.list("list") == ["a", "b", "b", "c"])
        list.removeObject(at: 1)
        list.replaceObject(at: 0, with: "x")
        list[1] = "y"
        #expect(note.list("list") == ["x", "y", "c"])
        list.exchangeObject(at: 0, withObjectAt: 2)
        list.remove("y")
        #expect(note.list("list") == ["c", "x"])
        list.removeLastObject()
        list.addObjects(from: ["b", "a"])
        list.sort { a, b in (a as? String ?? "").compare(b as? String ?? "") }
        #expect(note.list("list") == ["a", "b", "c"])
        list.insert(["p", "q"], at: [0, 2])
        list.removeObjects(at: [1, 4])
        #expect(note.list("list") == ["p", "q", "b"])
        list.removeObjects(in: NSRange(location: 0, length: 1))
        list.setArray(["m", "n"])
        #expect(note.list("list") == ["m", "n"])
        list.removeAllObjects()
        #expect(note.list("list") == [])
    }

    @Test("what an array derives from its elements is right, also as a Swift array")
    func arrayDerived() {
        let note = Note()
        let list = note.mutableArrayValue(forKey: "list")
        note.values["list"] = ["a", "b"]
        #expect(list.count == 2 && list.firstObject as? String == "a" && list.lastObject as? String == "b")
        #expect(list.map { $0 as? String } == ["a", "b"])
        #expect(list as? [String] == ["a", "b"])
        #expect(list.isEqual(NSArray(array: ["a", "b"])) && NSArray(array: ["a", "b"]).isEqual(list))
        #expect(list.contains("b") && list.index(of: "b") == 1 && list.index(of: "x") == NSNotFound)
        #expect(list.componentsJoined(by: "-") == "a-b")
        #expect((list.copy() as? NSArray)?.count == 2 && (list.mutableCopy() as? NSArray)?.count == 2)
        #expect(list.description.contains("a"))
        #expect(list.value(forKeyPath: "@count") as? Int == 2)
    }

    // MARK: Key paths and the rest of the protocol

    @Test("mutable collections at the end of a key path")
    func keyPaths() {
        let (outer, inner) = (Note(), Note())
        outer.values["inner"] = inner
        outer.mutableSetValue(forKeyPath: "inner.tags").add("a")
        outer.mutableOrderedSetValue(forKeyPath: "inner.list").add("b")
        outer.mutableArrayValue(forKeyPath: "inner.array").add("c")
        outer.mutableSetValue(forKeyPath: "tags").add("d")
        #expect(inner.tags("tags") == ["a"] && inner.list("list") == ["b"] && inner.list("array") == ["c"])
        #expect(outer.tags("tags") == ["d"])
    }

    @Test("validation asks the object at the end of the path, and may change the value")
    func validation() throws {
        struct TooShort: Error {}
        final class Strict: KeyValueCoding {
            func value(forKey key: String) -> Any? { nil }
            func setValue(_ value: Any?, forKey key: String) {}
            func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
                guard let text = value.pointee as? NSString else { return }
                if text.length < 2 { throw TooShort() }
                value.pointee = text.uppercased as NSString
            }
        }
        let note = Note()
        note.values["strict"] = Strict()
        var value: AnyObject? = "abc" as NSString
        try note.validateValue(&value, forKeyPath: "strict.name")
        #expect(value as? NSString == "ABC")
        value = "a" as NSString
        try note.validateValue(&value, forKey: "anything")
        #expect(throws: TooShort.self) { try note.validateValue(&value, forKeyPath: "strict.name") }
    }

    @Test(
        "unknown keys and nil for numbers stop debug builds with Apple's words",
        arguments: [
            "valueForUndefinedKey:]: this class is not key value coding-compliant for the key k.",
            "setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key k.",
            "setNilValueForKey]: could not set nil as the value for the key k.",
        ])
    func undefinedKeys(_ words: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [words] in
            let note: any KeyValueCoding = Note()
            switch words.prefix(6) {
            case "valueF": _ = note.value(forUndefinedKey: "k")
            case "setVal": note.setValue(1, forUndefinedKey: "k")
            default: note.setNilValueForKey("k")
            }
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("[<Note 0x") && output.contains(words), "\(output)")
    }
}
