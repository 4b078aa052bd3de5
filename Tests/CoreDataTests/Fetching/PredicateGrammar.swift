import Foundation

/// Makes predicates that fit the model of `PredicateDifferentialTests`, of all operators, types and forms.
///
/// What it leaves out has no single meaning: sums beyond an `Int64`, numbers that are none, long decimals.
struct PredicateGrammar {
    var random: Randomness
    private var variableCount = 0

    init(_ random: Randomness) { self.random = random }

    /// Whose properties a key path starts with: nothing for the row, a variable in a subquery.
    struct Subject {
        let prefix: String
        let entity: String
        static let city = Subject(prefix: "", entity: "City")
    }

    private enum Kind: CaseIterable { case string, integer, real, decimal, flag, date, uuid, uri, data }

    private static let properties: [String: [Kind: [String]]] = [
        "City": [
            .string: ["name", "title"], .integer: ["people", "rank"], .real: ["area", "ratio"], .decimal: ["price"],
            .flag: ["isOld"], .date: ["founded", "changed"], .uuid: ["code"], .uri: ["link"], .data: ["blob"],
        ],
        "Country": [.string: ["name"], .integer: ["people"]],
        "Tag": [.string: ["name"], .integer: ["weight"]],
        "Street": [.string: ["name"], .integer: ["number"]],
    ]
    private static let toOne: [String: [(String, String)]] = [
        "City": [("country", "Country"), ("twin", "City")], "Country": [("capital", "City")], "Tag": [],
        "Street": [("city", "City")],
    ]
    private static let toMany: [String: [(String, String)]] = [
        "City": [("tags", "Tag"), ("twins", "City"), ("streets", "Street")], "Country": [("cities", "City")],
        "Tag": [("cities", "City")], "Street": [],
    ]

    // MARK: Predicates

    mutating func predicate(_ subject: Subject = .city, depth: Int) -> String {
        guard depth > 0, !random.chance(3) else { return comparison(subject, depth: depth) }
        if random.chance(4) { return "NOT (\(predicate(subject, depth: depth - 1)))" }
        let parts = (0...(1 + random.next(2))).map { _ in "(\(predicate(subject, depth: depth - 1)))" }
        return parts.joined(separator: random.chance(2) ? " AND " : " OR ")
    }

    private mutating func comparison(_ subject: Subject, depth: Int) -> String {
        switch random.next(20) {
        case 0...4: strings(subject, depth)
        case 5...8: numbers(subject, depth)
        case 9: "\(path(.flag, subject)) \(random.pick(["==", "!="])) \(random.pick(["YES", "NO", "1", "nil"]))"
        case 10, 11: dates(subject, depth)
        case 12: identities(subject)
        case 13: objects(subject)
        case 14...16: quantified(subject, depth)
        case 17, 18: existence(subject, depth)
        default: random.pick(["TRUEPREDICATE", "FALSEPREDICATE", "1 IN {1.0, 2}", "'a' ==[c] 'A'"])
        }
    }

    private mutating func strings(_ subject: Subject, _ depth: Int) -> String {
        let (left, right) = (string(subject, depth), string(subject, depth))
        let option = random.pick(["", "", "[c]", "[d]", "[cd]", "[n]", "[cdl]"])
        switch random.next(12) {
        case 0, 1: return "\(left) \(random.pick(["==", "!=", "<", "<=", ">", ">="]))\(option) \(right)"
        case 2: return "\(left) \(random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "IN"]))\(option) \(right)"
        case 3: return "\(left) \(random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS"]))\(option) \(word())"
        case 4: return "\(left) LIKE\(option) \(random.pick(["'a*'", "'*b*'", "'A?'", "'?'", "'\\\\*'", "''"]))"
        case 5: return "\(left) MATCHES\(option) \(random.pick(["'a.*'", "'[ab]+'", "'.?'", "'\\\\S+'"]))"
        case 6: return "\(left) IN\(option) {\(list { $0.word() })}"
        case 7: return "\(left) IN\(option) {\(right), \(word()), nil}"
        case 8: return "\(left) BETWEEN {\(word()), \(right)}"
        case 9: return "\(left) \(random.pick(["==", "!="])) nil"
        case 10: return "{\(list { $0.word() })} CONTAINS\(option) \(left)"
        default: return "\(random.pick(["ANY", "ALL"])) {\(word()), \(word())} ==\(option) \(left)"
        }
    }

    private mutating func numbers(_ subject: Subject, _ depth: Int) -> String {
        let isDecimal = random.chance(6)
        let left = isDecimal ? decimal(subject) : number(subject, depth)
        let right = isDecimal ? random.pick(["10.11", "2", "price", "20.22", "0.1 + 0.2"]) : number(subject, depth)
        switch random.next(8) {
        case 0: return "\(left) IN {\(list { $0.literal() })}"
        case 1: return "\(left) IN {\(right), \(literal())}"
        case 2: return "\(left) BETWEEN {\(literal()), \(right)}"
        case 3: return "\(left) \(random.pick(["==", "!="])) nil"
        case 4: return "\(left) \(random.pick(["==", "!="])) \(word())"
        default: return "\(left) \(random.pick(["==", "!=", "<", "<=", ">", ">="])) \(right)"
        }
    }

    private mutating func dates(_ subject: Subject, _ depth: Int) -> String {
        let left = path(.date, subject)
        func date(_ grammar: inout Self) -> String {
            "CAST(\(grammar.random.pick(["-1000000000", "0", "1.5", "1.1", "1000000000"])), 'NSDate')"
        }
        switch random.next(7) {
        case 0: return "\(left) \(random.pick(["==", "!="])) nil"
        case 1: return "\(left) BETWEEN {\(date(&self)), \(date(&self))}"
        case 2: return "\(left) IN {\(list { date(&$0) })}"
        case 3: return "\(left) \(random.pick(["<", ">="])) \(path(.date, subject))"
        case 4: return "CAST(\(left), 'NSNumber') \(random.pick(["<", "=="])) \(literal())"
        case 5: return "CAST(\(number(subject, 0)), 'NSDate') < \(left)"
        default: return "\(left) \(random.pick(["==", "!=", "<", "<=", ">", ">="])) \(date(&self))"
        }
    }

    private mutating func identities(_ subject: Subject) -> String {
        let (kind, name) = random.pick([(Kind.uuid, "U"), (.uri, "L"), (.data, "D")])
        let left = path(kind, subject)
        let values = list { "$\(name)\($0.random.next(3))" }
        switch random.next(5) {
        case 0: return "\(left) == nil"
        case 1: return "\(left) IN {\(values)}"
        case 2: return "\(left) == \(path(kind, subject))"
        case 3 where kind != .uri: return "\(left) <= $\(name)\(random.next(3))"
        default: return "\(left) \(random.pick(["==", "!="])) $\(name)\(random.next(3))"
        }
    }

    private mutating func objects(_ subject: Subject) -> String {
        guard subject.entity == "City" || subject.entity == "Street" else {
            return "\(subject.prefix.isEmpty ? "SELF" : String(subject.prefix.dropLast())) != nil"
        }
        let city = subject.entity == "City" ? subject.prefix : subject.prefix + "city."
        let itself = city.isEmpty ? "SELF" : String(city.dropLast())
        return random.pick([
            "\(city)country == $C\(random.next(3))", "\(city)country != $C\(random.next(3))",
            "\(city)country IN {$C0, $C\(random.next(3)), nil}", "\(city)twin == \(itself)",
            "\(city)twin.country == \(city)country", "\(city)country == nil", "\(city)country != nil",
            "\(itself) IN {$S0, $S1, $S2}", "\(itself) == $S\(random.next(3))", "\(city)twin.objectID IN {$S0, $S1}",
            "\(city)country.capital == \(itself)", "\(city)entity == $E\(random.next(2))",
            "\(city)twin.entity IN {$E0, $E1}", "\(city)country == $S0", "\(city)country IN {$S0, $S1}",
        ])
    }

    // MARK: Over to-many relationships

    /// A to-many relationship, behind up to one to-one step.
    private mutating func collection(_ subject: Subject) -> (path: String, entity: String) {
        var (prefix, entity) = (subject.prefix, subject.entity)
        let steps = Self.toOne[entity] ?? []
        if Self.toMany[entity]?.isEmpty ?? true || !steps.isEmpty && random.chance(4) {
            guard !steps.isEmpty else { return ("tags", "Tag") }
            let step = random.pick(steps)
            (prefix, entity) = ("\(prefix)\(step.0).", step.1)
        }
        guard let many = Self.toMany[entity].map({ random.pick($0) }) else { return ("tags", "Tag") }
        return (prefix + many.0, many.1)
    }

    private mutating func quantified(_ subject: Subject, _ depth: Int) -> String {
        let (path, entity) = collection(subject)
        let modifier = random.pick(["ANY", "SOME", "ALL", "NONE"])
        let isString = random.chance(2)
        let field = random.pick(Self.properties[entity]?[isString ? .string : .integer] ?? ["name"])
        let value = isString ? word() : literal()
        let isOrdered = path.hasSuffix("streets")
        switch random.next(9) {
        case 0 where isString: return "\(modifier) \(path).\(field) \(search()) \(value)"
        case 1: return "\(modifier) \(path).\(field) IN {\(value), \(isString ? word() : literal())}"
        case 2: return "\(value) IN \(path).\(field)"
        case 3 where isString: return "\(path).\(field) CONTAINS[c] \(value)"
        case 4 where entity == "City":
            return random.pick([
                "\(path) CONTAINS $S0", "$S1 IN \(path)", "\(modifier) \(path) == $S2", "NONE \(path) IN {$S0, $S1}",
                "SELF IN \(path)", "ANY \(path).country == country", "ANY \(path).country.name > \(word())",
                "ALL \(path).country.people > 0", "\(path).country.name CONTAINS \(word())",
                "\(modifier) \(path).country == $C0",
            ])
        case 5 where !isOrdered: return "\(modifier) \(path).\(field) \(random.pick(["==", "!="])) nil"
        case 6 where !isOrdered:
            return "\(modifier) \(path).\(field) == \(self.path(isString ? .string : .integer, .city))"
        case 7:
            return "ANY \(subquery(subject, depth)).\(random.pick(["name", "name"])) > \(word())"
        default:
            let operators = isOrdered ? ["==", "<", "<=", ">", ">="] : ["==", "!=", "<", "<=", ">", ">="]
            return "\(modifier) \(path).\(field) \(random.pick(operators)) \(value)"
        }
    }

    private mutating func search() -> String {
        random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"]) + random.pick(["", "[c]", "[cd]"])
    }

    private mutating func subquery(_ subject: Subject, _ depth: Int) -> String {
        let (path, entity) = collection(subject)
        variableCount += 1
        let name = "$v\(variableCount)"
        let inner = Subject(prefix: name + ".", entity: entity)
        let condition = predicate(random.chance(4) ? .city : inner, depth: min(depth, 2) - 1)
        return "SUBQUERY(\(path), \(name), \(condition))"
    }

    private mutating func existence(_ subject: Subject, _ depth: Int) -> String {
        let count = "\(random.chance(4) ? collection(subject).path : subquery(subject, depth)).@count"
        return "\(count) \(random.pick(["> 0", "== 0", "!= 0", ">= 1", "< 1", "<= 0", "== 1", "> 2", "< 2"]))"
    }

    // MARK: Values

    /// A key path to a property of a kind, over up to two to-one relationships.
    private mutating func path(_ kind: Kind, _ subject: Subject) -> String {
        var (prefix, entity) = (subject.prefix, subject.entity)
        for _ in 0..<2 {
            let isMissing = Self.properties[entity]?[kind] == nil
            guard isMissing || random.chance(4),
                let step = Self.toOne[entity].flatMap({ $0.isEmpty ? nil : random.pick($0) })
            else { break }
            (prefix, entity) = ("\(prefix)\(step.0).", step.1)
        }
        guard let names = Self.properties[entity]?[kind] else {
            // From the row itself, which has properties of all kinds.
            return random.pick(Self.properties["City"]?[kind] ?? ["name"])
        }
        return prefix + random.pick(names)
    }

    private mutating func string(_ subject: Subject, _ depth: Int) -> String {
        switch random.next(8) {
        case 0: "\(random.pick(["lowercase", "uppercase", "canonical"]))(\(path(.string, subject)))"
        case 1 where depth > 0:
            "TERNARY(\(predicate(subject, depth: 0)), \(path(.string, subject)), \(word()))"
        case 2: "CAST(\(path(.integer, subject)), 'NSString')"
        case 3: "noindex(\(path(.string, subject)))"
        default: path(.string, subject)
        }
    }

    private mutating func number(_ subject: Subject, _ depth: Int) -> String {
        let (a, b) = (path(.integer, subject), path(.integer, subject))
        switch random.next(depth > 0 ? 16 : 5) {
        case 0: return literal()
        case 1: return path(.real, subject)
        case 2: return path(.flag, subject)
        case 3, 4: return a
        case 5, 6: return "(\(number(subject, depth - 1)) \(random.pick(["+", "-", "*"])) \(number(subject, 0)))"
        case 7: return "(\(a) / \(random.pick([b, "2", "0", "4.0"])))"
        case 8: return "modulus:by:(\(a), \(random.pick(["3", "0", b])))"
        case 9: return "(\(a) \(random.pick(["&", "|", "^"])) \(b))"
        case 10: return "\(random.pick(["floor", "ceiling", "trunc", "abs"]))(\(path(.real, subject)))"
        case 11: return random.pick(["abs(\(a))", "sqrt(abs(\(b)))", "(\(a) ** 2)"])
        case 12: return "length(\(path(.string, subject)))"
        case 13: return "TERNARY(\(predicate(subject, depth: 0)), \(a), \(random.pick([b, "7", "nil"])))"
        default: return aggregate(subject, depth)
        }
    }

    private mutating func aggregate(_ subject: Subject, _ depth: Int) -> String {
        if random.chance(4) { return "\(subquery(subject, depth)).@count" }
        let (path, entity) = collection(subject)
        // Not `people` of cities, whose sum may be too large.
        let field =
            entity == "City"
            ? random.pick(["rank", "area", "price"]) : random.pick(Self.properties[entity]?[.integer] ?? [])
        let operation = random.pick(field == "price" ? ["sum", "min", "max"] : ["sum", "min", "max", "avg"])
        switch random.next(4) {
        case 0: return random.chance(2) ? "\(path).@count" : "count(\(path))"
        case 1 where field != "price": return "\(operation == "avg" ? "average" : operation)(\(path).\(field))"
        default: return "\(path).@\(operation).\(field)"
        }
    }

    private mutating func decimal(_ subject: Subject) -> String {
        let price = path(.decimal, subject)
        return random.pick([
            price, price, "(\(price) + \(price))", "(\(price) * 2)", "(\(price) - 0.1)", "abs(\(price))",
        ])
    }

    private mutating func literal() -> String {
        random.pick(["-1", "0", "1", "2", "3", "2.5", "0.5", "9223372036854775807"])
    }

    private mutating func word() -> String {
        let text = random.pick(PredicateDifferentialTests.words)
        return "\"\(text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\0", with: ""))\""
    }

    /// A few values, or so many that they go to SQLite in another way.
    private mutating func list(_ value: (inout Self) -> String) -> String {
        (0...(random.chance(3) ? 12 : random.next(3))).map { _ in value(&self) }.joined(separator: ", ")
    }
}
