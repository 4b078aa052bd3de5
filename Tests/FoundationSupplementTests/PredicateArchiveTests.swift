import FoundationSupplement
import Testing

/// Predicates, expressions and sort descriptors in archives.
@Suite struct PredicateArchiveTests {
    private static let classes: [AnyClass] = [NSPredicate.self, NSExpression.self, NSSortDescriptor.self]

    private func copy<Object: NSObject>(_ object: Object) throws -> Object? {
        try SecureArchive.object(in: SecureArchive.data(of: object), classes: Self.classes) as? Object
    }

    @Test func randomPredicatesComeBack() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("PredicateArchiveTests seed: \(seed)")
        var maker = PredicateMaker(random: SeededGenerator(seed: seed))
        for _ in 0..<300 {
            let predicate = maker.predicate(depth: 4)
            let again = try copy(predicate)
            #expect(again == predicate, "seed \(seed): \(predicate.formatText) reads as \(again?.formatText ?? "nil")")
        }
    }

    @Test(arguments: [
        "a == 1", "a.b ==[cd] 'x'", "ANY a.b > 1.5", "ALL a IN {1, 2}", "NOT (a == nil OR b == $X)", "TRUEPREDICATE",
        "FALSEPREDICATE", "SUBQUERY(a, $x, $x.b == c).@count > 0", "TERNARY(a == 1, 'y', b) == 'y'", "a[FIRST] == b[0]",
        "SELF isKindOfClass: a", "a UTI-CONFORMS-TO 'b'", "sum(a) + 2 * b == now()", "a UNION b == c MINUS d",
        "FUNCTION(a, 'b:' , 1) == ANYKEY", "CAST(a, 'NSDate') == CAST(5, 'NSDate')", "a LIKE[c] '*x?'",
        "a MATCHES '.*'",
        "a BEGINSWITH 'b' AND a ENDSWITH 'c' AND a CONTAINS 'd'", "a BETWEEN {1, b}", "SELF == SELF.a", "$x.a == 1",
        "a.@max.b == 1", "a.$b == 1",
    ])
    func formatsComeBack(_ format: String) throws {
        let predicate = NSPredicate(format: format)
        #expect(try copy(predicate) == predicate)
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data) == predicate)
    }

    @Test func constantsComeBack() throws {
        let values: [Any?] = [
            nil, NSNull(), "text", "", 7, -1.5, true, UInt64(1), Date(timeIntervalSinceReferenceDate: 1.25),
            Data([1, 2]),
            UUID(), URL(string: "https://example.org/a"), Decimal(string: "1.10"), NSDecimalNumber(string: "2.5"),
            ["a", "b"], [1, 2.5, "c"] as [Any], Set([1, 2]), ["k": 1], NSOrderedSet(array: [1]), [[1], [2]],
        ]
        for value in values {
            let expression = NSExpression(forConstantValue: value)
            #expect(try copy(expression) == expression, "\(String(describing: value))")
        }
        let text = try copy(NSExpression(forConstantValue: "text"))
        #expect(text?.constantValue is String)
    }

    @Test func whatExistsInMemoryOnlyIsRefused() {
        final class Own {}
        let block = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
        let objects: [NSObject] = [
            NSPredicate { _, _ in true }, block, NSExpression(format: "$x := 5"),
            NSExpression(forConstantValue: Own()),
            NSCompoundPredicate(type: .and, subpredicates: [NSPredicate { _, _ in true }]),
            NSSortDescriptor(key: "a", ascending: true) { _, _ in .orderedSame },
        ]
        for object in objects {
            let error = #expect(throws: CocoaError.self) { try SecureArchive.data(of: object) }
            #expect(error?.code == .coderInvalidValue)
        }
    }

    @Test func sortDescriptorsComeBack() throws {
        let descriptors = [
            NSSortDescriptor(key: "a.b", ascending: false, selector: .localizedStandardCompare),
            NSSortDescriptor(key: nil, ascending: true),
        ]
        for descriptor in descriptors {
            let again = try #require(try copy(descriptor))
            #expect(again.key == descriptor.key && again.ascending == descriptor.ascending)
            #expect(again.selector == descriptor.selector)
            let data = try NSKeyedArchiver.archivedData(withRootObject: descriptor, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
            #expect(read?.key == descriptor.key)
        }
    }

    @Test func expressionsAndCollectionsComeBackThroughFoundation() throws {
        let expression = NSExpression(format: "a + SUBQUERY(b, $x, $x > 1).@count")
        let data = try NSKeyedArchiver.archivedData(withRootObject: expression, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data) == expression)
        let list = NSArray(array: [NSPredicate(format: "a == 1"), "text"])
        let both = try SecureArchive.object(
            in: SecureArchive.data(of: list), classes: [NSArray.self, NSPredicate.self, NSString.self])
        #expect((both as? NSArray)?.firstObject as? NSPredicate == NSPredicate(format: "a == 1"))
    }

    /// Only the classes that were asked for are read.
    @Test func otherClassesAreRefused() throws {
        let data = try SecureArchive.data(of: NSPredicate(format: "a == 1"))
        #expect(throws: CocoaError.self) { try SecureArchive.object(in: data, classes: [NSString.self]) }
        #expect(throws: CocoaError.self) { try SecureArchive.object(in: data, classes: [NSExpression.self]) }
        #expect(try SecureArchive.object(in: data, classes: [NSComparisonPredicate.self]) != nil)
    }

    // MARK: Allowing

    @Test func whatWasReadIsAllowedBeforeItIsEvaluated() throws {
        let formats = ["a == 1", "NOT (a == 2)", "TERNARY(a == 1, 1, 2) == 1", "SUBQUERY(b, $x, $x == a).@count == 1"]
        let object: [String: Any] = ["a": 1, "b": [1, 2]]
        for format in formats {
            let predicate = try #require(try copy(NSPredicate(format: format)))
            let error = #expect(throws: PredicateEvaluationError.self) { try predicate.evaluateThrowing(with: object) }
            #expect(error?.reason == "This predicate has evaluation disabled")
            // What it is a part of is locked too.
            let whole = NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(value: true), predicate])
            #expect(throws: PredicateEvaluationError.self) { try whole.evaluateThrowing(with: object) }
            #expect(throws: PredicateEvaluationError.self) {
                try predicate.withSubstitutionVariables(["x": 1]).evaluateThrowing(with: object)
            }
            let duplicate = try #require(predicate.copy() as? NSPredicate)
            #expect(throws: PredicateEvaluationError.self) { try duplicate.evaluateThrowing(with: object) }
            predicate.allowEvaluation()
            #expect(try predicate.evaluateThrowing(with: object), "\(format)")
            #expect(try whole.evaluateThrowing(with: object))
        }
    }

    @Test func expressionsAndDescriptorsAreAllowedToo() throws {
        let expression = try #require(try copy(NSExpression(format: "1 + 2")))
        #expect(throws: PredicateEvaluationError.self) { try expression.evaluateThrowing(with: nil) }
        expression.allowEvaluation()
        #expect(try expression.evaluateThrowing(with: nil) as? Int == 3)
        let descriptor = try #require(try copy(NSSortDescriptor(key: "self", ascending: true)))
        #expect(throws: PredicateEvaluationError.self) { try [2, 1].sortedThrowing(using: [descriptor]) }
        descriptor.allowEvaluation()
        #expect(try [2, 1].sortedThrowing(using: [descriptor]) == [1, 2])
    }

    /// As on Apple's systems, only secure coding distrusts what it reads.
    @Test func codersWithoutSecureCodingTrustWhatTheyRead() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSPredicate(format: "SELF == 1"), requiringSecureCoding: false)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        let predicate = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSPredicate
        #expect(try predicate?.evaluateThrowing(with: 1) == true)
        let secure = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
        #expect(throws: PredicateEvaluationError.self) { try secure?.evaluateThrowing(with: 1) }
    }

    @Test func evaluatingWhatIsNotAllowedIsMisuse() async {
        await #expect(processExitsWith: .failure) {
            let data = try SecureArchive.data(of: NSPredicate(format: "SELF == 1"))
            let predicate = try SecureArchive.object(in: data, classes: [NSPredicate.self]) as? NSPredicate
            _ = predicate?.evaluate(with: 1)
        }
    }

    // MARK: Bad archives

    @Test func damagedArchivesAreRefusedOrRead() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("PredicateArchiveTests seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let predicate = NSPredicate(
            format: "SUBQUERY(a, $x, $x.b == 'c' AND d IN %@).@count > TERNARY(e == 1, 2, sum(f))", [1, 2])
        let bytes = Array(try SecureArchive.data(of: predicate))
        var read = 0
        for _ in 0..<3_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let object = try? SecureArchive.object(in: Data(damaged), classes: Self.classes) else { continue }
            read += 1
            guard let predicate = object as? NSPredicate else { continue }
            predicate.allowEvaluation()
            _ = predicate.formatText
            _ = try? predicate.evaluateThrowing(with: ["a": [1], "d": 1, "e": 2, "f": [1]])
        }
        #expect(read > 10, "seed \(seed)")
    }

    /// A few objects that refer to each other describe a tree without end, or one that fills the memory.
    @Test(arguments: [1, 2]) func archivesThatUnfoldAreRefused(_ parts: Int) {
        var objects: [PropertyListValue] = [.string("$null")]
        let count = 60
        for level in 1...count {
            // Each level holds the next; the last holds the first.
            let next = PropertyListValue.uid(level == count ? 1 : level + 1)
            objects.append(
                .dictionary([
                    "$class": .uid(count + 1), "NSCompoundPredicateType": .integer(1),
                    "NSSubpredicates": .uid(count + 2 + level),
                ]))
            _ = next
        }
        let compound: [PropertyListValue] = [
            .string("NSCompoundPredicate"), .string("NSPredicate"), .string("NSObject"),
        ]
        objects.append(.dictionary(["$classname": .string("NSCompoundPredicate"), "$classes": .array(compound)]))
        objects.append(
            .dictionary([
                "$classname": .string("NSArray"), "$classes": .array([.string("NSArray"), .string("NSObject")]),
            ]))
        for level in 1...count {
            let next = PropertyListValue.uid(level == count ? 1 : level + 1)
            objects.append(
                .dictionary(["$class": .uid(count + 2), "NS.objects": .array(Array(repeating: next, count: parts))]))
        }
        let data = BinaryPropertyList.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
                "$top": .dictionary(["root": .uid(1)]), "$objects": .array(objects),
            ]))
        let error = #expect(throws: CocoaError.self) { try SecureArchive.object(in: data, classes: Self.classes) }
        #expect(error?.code == .coderReadCorrupt)
    }
}
