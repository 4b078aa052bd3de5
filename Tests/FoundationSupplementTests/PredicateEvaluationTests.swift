import FoundationSupplement
import Testing

/// What predicates find in memory.
@Suite struct PredicateEvaluationTests {
    private func holds(_ format: String, _ object: Any?, _ arguments: Any?...) throws -> Bool {
        try NSPredicate(validating: format, arguments: arguments).evaluateThrowing(with: object)
    }

    private func value(_ format: String, _ object: Any? = nil, _ arguments: Any?...) throws -> Any? {
        try NSExpression(validating: format, arguments: arguments).evaluateThrowing(with: object)
    }

    private static var person: [String: Any] {
        [
            "name": "Änne Straße", "age": 41, "score": 9.5, "isMember": true,
            "born": Date(timeIntervalSinceReferenceDate: 5),
            "price": Decimal(string: "19.99") ?? 0, "missing": NSNull(), "id": UUID(uuidString: uuid) ?? UUID(),
            "tags": ["red", "green"], "numbers": Set([1, 2, 3]),
            "city": ["name": "Bern", "zip": 3000] as [String: Any],
            "children": [["name": "Eva", "age": 3], ["name": "Max", "age": 7]] as [[String: Any]],
        ]
    }

    private static let uuid = "6D1F6C86-0000-4000-8000-000000000000"

    @Test(arguments: [
        // Numbers of all kinds.
        "age == 41", "age == 41.0", "isMember == YES", "isMember == 1", "age != 40", "score > 9", "price == 19.99",
        "age >= 41 AND age <= 41", "age BETWEEN {41, 50}", "age BETWEEN {30, 41}", "NOT age BETWEEN {50, 30}",
        "age IN {1, 41}", "age == numbers.@max.self * 13 + 2",
        // nil.
        "missing == nil", "absent == NULL", "missing != 'a'", "NOT missing == 'a'", "NOT missing != nil",
        "NOT missing > 1", "NOT missing < 1", "NOT missing LIKE '*'", "NOT missing BEGINSWITH 'a'",
        "NOT missing CONTAINS 'a'", "NOT missing IN {1}", "missing IN {nil}", "absent == missing",
        "NOT absent <= missing", "city.absent.name == nil", "NOT absent BETWEEN {1, 2}", "NOT age IN absent",
        // Strings.
        "name ==[c] 'änne STRASSE'", "name ==[cd] 'anne strasse'", "NOT name == 'änne Straße'",
        "name BEGINSWITH 'Än'", "name BEGINSWITH[cd] 'AN'", "name ENDSWITH[c] 'SSE'", "name CONTAINS 'e S'",
        "name CONTAINS[d] 'Anne'", "'nne' IN name", "name LIKE 'Ä?ne*'", "name LIKE[cd] '*ST*E'",
        "NOT name LIKE 'Änne'",
        "name MATCHES '.*Stra.e'", "NOT name MATCHES 'Stra'", "name MATCHES[c] 'ä[n]+e .*'", "'a|ab' LIKE 'a|ab'",
        "'ab' MATCHES 'a|ab'", "'(x' LIKE '(?'", "'a*b' LIKE 'a\\\\*b'", "NOT 'axb' LIKE 'a\\\\*b'", "'' LIKE '*'",
        "'b' > 'a'", "'B' < 'a'", "'B' >[c] 'a'", "'ä' >[l] 'a'", "'e' ==[d] 'é'", "NOT 'E' ==[n] 'e'",
        "NOT 'e' ==[cdn] 'É'", "name.length == 11", "'x' == lowercase('X') AND uppercase('x') == 'X'",
        // Collections.
        "tags CONTAINS 'red'", "tags CONTAINS[c] 'RED'", "'red' IN tags", "'Bern' IN city", "ANY tags == 'green'",
        "NOT ALL tags == 'green'", "NONE tags == 'blue'", "ALL tags MATCHES '[a-z]+'", "ANY children.age > 5",
        "ALL children.age < 10", "SOME children.name BEGINSWITH 'E'", "ANY children.name IN {'Max'}",
        "ALL absent == 1", "NONE absent == 1", "NOT ANY absent == 1", "ANY numbers > 2", "{1, 2} == {1, 2}",
        "SUBQUERY(children, $c, $c.age > 5).@count == 1",
        "SUBQUERY(children, $c, $c.age > 5 AND age == 41).name == {'Max'}",
        "SUBQUERY(children, $c, SUBQUERY(children, $d, $d.age < $c.age).@count == 1).@count == 1",
        "children.@count == 2", "absent.@count == 0", "children.@sum.age == 10", "children.@avg.age == 5",
        "children.@max.age == 7", "children.@min.name == 'Eva'", "numbers.@max.#self == 3", "tags[FIRST] == 'red'",
        "tags[LAST] == 'green'", "tags[SIZE] == 2", "tags[1] == 'green'", "tags[9] == nil",
        "(SELF.city)['zip'] == 3000",
        "children[1].name == 'Max'", "(SELF.children)[SIZE] == 2",
        "tags UNION {'x'} == {'red', 'green', 'x'}",
        "tags INTERSECT {'red'} == {'red'}", "tags MINUS {'red'} == {'green'}",
        // Functions.
        "1 + 2 * 3 == 7", "7 / 2 == 3", "7.0 / 2 == 3.5", "2 ** 10 == 1024", "modulus:by:(7, 4) == 3", "1 << 3 == 8",
        "2 | 1 == 3", "6 & 3 == 2", "6 ^ 3 == 5", "~0 == -1", "256 >> 4 == 16", "age / 0 == nil", "absent + 1 == nil",
        "sum({1, 2, 3}) == 6", "average({1, 2}) == 1.5", "median({3, 1, 2}) == 2", "mode({1, 2, 2}) == {2}",
        "stddev({2, 4}) == 1", "count(tags) == 2", "min(children.age) == 3", "max(children.age) == 7", "abs(-5) == 5",
        "ceiling(1.2) == 2", "floor(1.8) == 1", "trunc(-1.8) == -1", "sqrt(9) == 3", "log(100) == 2", "ln(1) == 0",
        "exp(0) == 1", "length('abc') == 3", "randomn(3) < 3", "random() < 1", "now() > born", "noindex(age) == 41",
        "FUNCTION('a', 'uppercase') == 'A'", "FUNCTION(name, 'substringToIndex:', 4) == 'Änne'",
        "FUNCTION(absent, 'uppercaseString') == nil", "FUNCTION(born, 'dateByAddingTimeInterval:', 5) > born",
        "TERNARY(age > 40, 'old', 'young') == 'old'", "TERNARY(absent != nil, absent, '').length == 0",
        "born == CAST(5, 'NSDate')", "born > CAST(4, 'NSDate')", "CAST('41', 'NSNumber') == age",
        "CAST(age, 'NSString') == '41'",
        "CAST('1.10', 'NSDecimalNumber') == 1.1", "canonical('É') == 'e'", "name.uppercaseString BEGINSWITH 'ÄNNE'",
        "9223372036854775807 + 1 > 9223372036854775807", "$x := 5 == 5", "TRUEPREDICATE", "NOT FALSEPREDICATE",
        "SELF.age == 41", "age == SELF.age", "'a' hasPrefix: 'a'", "city.@allKeys CONTAINS 'zip'",
    ])
    func predicateHolds(_ format: String) throws {
        #expect(try holds(format, Self.person))
    }

    @Test(arguments: [
        "name > 1", "age CONTAINS 1", "age LIKE '4*'", "age BEGINSWITH 4", "name MATCHES '('", "'1' + '1' == 2",
        "ANY name == 'x'", "ANY age == 41", "name IN 5", "$unknown == 1", "nosuch:(1) == 1",
        "FUNCTION(name, 'noSuch:', 1) == 1",
        "age BETWEEN 5", "age BETWEEN {1, 2, 3}", "numbers[FIRST] == 1", "SUBQUERY(age, $x, $x == 1).@count == 0",
        "CAST('x', 'NSNumber') == 1", "CAST(1, 'NSNothing') == 1", "ANYKEY == 1", "tags.@sum.self == 1",
        "tags.@sum == 1",
        "uppercase(age) == 'x'", "sum(age) == 1", "SELF isUnheardOf: 1", "born > 5", "id > 5",
        "add:to:(1) == 1", "tags UNION 5 == 1",
    ])
    func evaluationFails(_ format: String) {
        #expect(throws: PredicateEvaluationError.self) { try holds(format, Self.person) }
    }

    @Test func errorsHaveAppleWords() {
        let any = #expect(throws: PredicateEvaluationError.self) { try holds("ANY age == 1", Self.person) }
        #expect(any?.reason == "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet.")
        let contains = #expect(throws: PredicateEvaluationError.self) { try holds("age CONTAINS 1", Self.person) }
        #expect(contains?.reason == "Can't use in/contains operator with collection 41 (not a collection)")
    }

    @Test func argumentsOfAllTypes() throws {
        let person = Self.person
        #expect(try holds("id == %@", person, UUID(uuidString: Self.uuid)))
        #expect(try holds("id == %@", person, NSUUID(uuidString: Self.uuid)))
        #expect(try holds("id IN %@", person, [UUID(uuidString: Self.uuid)]))
        #expect(try holds("price == %@", person, NSDecimalNumber(string: "19.99")))
        #expect(try holds("price IN %@", person, [NSDecimalNumber(string: "19.99")]))
        #expect(try holds("age IN %@", person, NSSet(array: [41, 42])))
        #expect(try holds("age IN %@", person, 40...42))
        #expect(try holds("name == %@", person, NSString("Änne Straße")))
        #expect(try holds("born == %@", person, NSDate(timeIntervalSinceReferenceDate: 5)))
        #expect(try holds("missing == %@ AND absent == %@", person, NSNull(), nil))
        #expect(try holds("age == %@", person, UInt8(41)))
        #expect(try holds("SELF == %@", "x", Substring("x")))
        #expect(try holds("tags == %@", person, NSArray(array: ["red", "green"])))
        #expect(try holds("SELF IN %@", 5, [1: 5]))
        #expect(try holds("SELF == %@", UInt64.max, NSNumber(value: UInt64.max)))
        #expect(try !holds("SELF == %@", UInt64.max, -1))
        #expect(try !holds("SELF == 9007199254740992.0", 9_007_199_254_740_993))
    }

    @Test func variables() throws {
        let predicate = NSPredicate(format: "age > $MIN AND ANY $list == age")
        #expect(predicate.evaluate(with: Self.person, substitutionVariables: ["MIN": 40, "list": [41]]))
        let bound = predicate.withSubstitutionVariables(["MIN": 40])
        #expect(bound.formatText == "age > 40 AND ANY $list == age")
        let shadowed = NSPredicate(format: "SUBQUERY(children, $x, $x.age > 5).@count == $x")
            .withSubstitutionVariables(["x": 1])
        #expect(shadowed.formatText == "SUBQUERY(children, $x, $x.age > 5).@count == 1")
        #expect(shadowed.evaluate(with: Self.person))
    }

    @Test func compounds() throws {
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).evaluate(with: nil))
        #expect(!NSCompoundPredicate(orPredicateWithSubpredicates: []).evaluate(with: nil))
        let block = NSPredicate { object, variables in object as? Int == variables?["x"] as? Int }
        let both = NSCompoundPredicate(type: .and, subpredicates: [block, NSPredicate(format: "SELF > 1")])
        #expect(both.evaluate(with: 2, substitutionVariables: ["x": 2]))
        #expect(try both.evaluateThrowing(with: 2, variables: ["x": 2]))
        let foundations = Foundation.NSCompoundPredicate(
            type: .not, subpredicates: [NSPredicate(format: "SELF > %@", "a")])
        #expect(throws: PredicateEvaluationError.self) { try foundations.evaluateThrowing(with: 2) }
        #expect(foundations.formatText == "NOT SELF > \"a\"")
        // The second part can't be evaluated; the first decides.
        #expect(try holds("SELF == 1 OR SELF > 'a'", 1))
    }

    @Test func blocksAndContexts() throws {
        let context = NSMutableDictionary()
        let assignment = NSExpression(format: "$x := 5 + 1")
        #expect(assignment.expressionValue(with: nil, context: context) as? Int == 6)
        #expect(context["x"] as? Int == 6)
        #expect(NSExpression(format: "$x * 2").expressionValue(with: nil, context: context) as? Int == 12)
        let block = NSExpression(
            block: { object, arguments, _ in "\(object ?? "")\(arguments.count)" },
            arguments: [NSExpression(forConstantValue: 1)])
        #expect(block.expressionValue(with: "a", context: nil) as? String == "a1")
        let aggregate = try value("{1, nil, 'a'}") as? [Any]
        #expect(aggregate?.count == 3 && aggregate?[1] is NSNull)
    }

    @Test func functionTargets() throws {
        final class Manager: FunctionExpressionTarget {
            func callFunction(_ selectorName: String, arguments: [Any?]) throws -> Any? {
                guard selectorName == "add:and:" else { throw CocoaError(.featureUnsupported) }
                return arguments.compactMap { $0 as? Int }.reduce(0, +)
            }
        }
        let expression = NSExpression(format: "FUNCTION($manager, 'add:and:' , 1, 2)")
        #expect(try expression.evaluateThrowing(with: nil, variables: ["manager": Manager()]) as? Int == 3)
        let unknown = NSExpression(format: "FUNCTION($manager, 'other:' , 1)")
        #expect(throws: CocoaError.self) { try unknown.evaluateThrowing(with: nil, variables: ["manager": Manager()]) }
    }

    @Test func classes() throws {
        class Animal {}
        final class Dog: Animal {}
        #expect(try holds("SELF isKindOfClass: %@", Dog(), Animal.self))
        #expect(try !holds("SELF isMemberOfClass: %@", Dog(), Animal.self))
        #expect(try !holds("SELF isKindOfClass: %@", Animal(), Dog.self))
        let dog = Dog()
        #expect(try holds("SELF == %@", dog, dog))
        #expect(try !holds("SELF == %@", dog, Dog()))
    }

    @Test func distances() throws {
        let (bern, zurich) = (["latitude": 46.948, "longitude": 7.4474], ["latitude": 47.3769, "longitude": 8.5417])
        let metres = try value("distanceToLocation:fromLocation:(%@, %@)", nil, bern, zurich) as? Double
        #expect(abs((metres ?? 0) - 95_500) < 1_000)
    }
}
