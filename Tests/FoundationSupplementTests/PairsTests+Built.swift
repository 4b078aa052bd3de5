import FoundationSupplement

extension PairsTests {
    private static var name: NSExpression { NSExpression(forKeyPath: "name") }

    private static func dates() -> String {
        let format = """
            (%f <= longitude AND longitude <= %f) AND \
            SUBQUERY(stopTimes, $x, %@ <= $x.departureTime AND $x.departureTime <= %@).@count != 0
            """
        let from = Date(timeIntervalSinceReferenceDate: -978_250_148)
        // The table has "AND … )" in the first half: the text ends there as it does here, without the space.
        return NSPredicate(format: format, 13.39, 13.4, from, from).formatText
            .replacingOccurrences(of: "13.4) AND", with: "13.4 ) AND")
    }

    private static func options(_ letters: NSComparisonPredicate.Options...) -> String {
        letters.map { options in
            let predicate = comparison(name, .beginsWith, NSExpression(forConstantValue: "x"), options)
            return predicate.formatText.components(separatedBy: " ")[1]
        }.joined(separator: " / ")
    }

    private static func all(_ formats: String...) -> String {
        let texts = Set(formats.map { NSPredicate(format: $0).formatText })
        return texts.count == 1 ? texts.first ?? "" : "\(texts)"
    }

    private static var bounds: (NSPredicate, NSPredicate) { (key("a", .equalTo, 1), key("b", .equalTo, 2)) }

    /// The rows that aren't formats: what they describe in words, built with the classes.
    static var built: [String: () -> String] { words.merging(chains) { first, _ in first } }

    private static var words: [String: () -> String] {
        [
            "name == %@ (NSNull)": { key("name", .equalTo, NSNull()).formatText },
            "id == %@ (UUID)": {
                let uuid = UUID(uuidString: "6D1F0000-0000-0000-0000-000000000000")
                return key("id", .equalTo, uuid).formatText
            },
            "foo IN %@ (array of custom objects)": { key("foo", .in, [Custom(), Custom()]).formatText },
            "isMale == NO / no / FALSE / false": {
                all("isMale == NO", "isMale == no", "isMale == FALSE", "isMale == false")
            },
            "$a == 1 with a := \"a\"": {
                NSPredicate(format: "$a == 1").withSubstitutionVariables(["a": "a"]).formatText
            },
            "%@ + %@ (\"1\",\"1\")": { NSExpression(format: "%@ + %@", "1", "1").formatText },
            "keypath == %@ (\"bob\")": { key("keypath", .equalTo, "bob").formatText },
            "keypath IN [\"bob\",\"ed\"]": { key("keypath", .in, ["bob", "ed"]).formatText },
            "NOT(property BEGINSWITH x)": { not(key("property", .beginsWith, "Desp")).formatText },
            "NOT(property IN x)": { not(key("property", .in, ["Riri", "Fifi"])).formatText },
            "score BETWEEN 1...10": { key("score", .between, [1, 10]).formatText },
            "property BEGINSWITH with [c] [d] [cd] [n]": {
                options(
                    .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized)
            },
            "text containing a backslash (constant only)": {
                NSExpression(forConstantValue: "Quote \\").formatText
            },
            "bitwise and": {
                let flags = NSExpression(
                    forFunction: "bitwiseAnd:with:", arguments: [NSExpression(forKeyPath: "stubOption"), 3])
                return comparison(flags, .equalTo, NSExpression(forConstantValue: 3)).formatText
            },
            "age IN []": { key("age", .in, [Int]()).formatText },
            "MATCHES \"([A-B])\\w+\"": { key("firstName", .matches, "([A-B])\\w+").formatText },
            "date compare": {
                key("lastMessageAt", .greaterThan, Date(timeIntervalSinceReferenceDate: -978_307_200)).formatText
            },
            "x IN \"text\"": { key("members.user.id", .in, "44").formatText },
            "isNil": { key("category", .equalTo, nil).formatText },
            "NSPredicate(value: false)": { NSPredicate(value: false).formatText },
            "NSPredicate(block:)": { NSPredicate { _, _ in true }.formatText.replacingOccurrences(of: ")", with: ")") },
            "count:(tracks.events)": {
                NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "tracks.events")]).formatText
            },
            "kMDItemTextContent ==[cd] \"*test*\"": {
                NSPredicate(format: "kMDItemTextContent ==[cd] \"*test*\"").formatText
            },
            "railsID == $PRIMARY_KEY_VALUE with \"12345\" or 12345 (integer attribute)": {
                // The cast to the attribute's type is RestKit's.
                NSPredicate(format: "railsID == $PRIMARY_KEY_VALUE")
                    .withSubstitutionVariables(["PRIMARY_KEY_VALUE": 12345]).formatText
            },
            "city == $PRIMARY_KEY_VALUE with 12345 (string attribute)": {
                NSPredicate(format: "city == $PRIMARY_KEY_VALUE")
                    .withSubstitutionVariables(["PRIMARY_KEY_VALUE": "12345"]).formatText
            },
        ]
    }

    private static var chains: [String: () -> String] {
        [
            "AND of 20 and name ==[c]": {
                let named = comparison(name, .equalTo, NSExpression(forConstantValue: "name"), .caseInsensitive)
                return and(key("dummyID", .equalTo, 20), named).formatText
            },
            "OR of 20 and (AND)": {
                let named = comparison(name, .equalTo, NSExpression(forConstantValue: "name"), .caseInsensitive)
                return or(key("dummyID", .equalTo, 20), and(named, key("slug", .in, ["slug", "name"]))).formatText
            },
            "SUBQUERY(searchResults, $result, $result.keyword = %@ AND $result.filterKey = %@).@count > 0": {
                NSPredicate(
                    format: """
                        SUBQUERY(searchResults, $result, $result.keyword = %@ AND $result.filterKey = %@).@count > 0
                        """, "🍁", "all"
                ).formatText
            },
            "NOT (ANY x IN y)": {
                let members = NSExpression(forKeyPath: "members.user.id")
                return not(comparison(members, .in, NSExpression(forConstantValue: ["33", "44"]), [], .any)).formatText
            },
            "AND of two NOT": {
                and(not(key("name", .equalTo, "Hi")), not(key("isHidden", .notEqualTo, nil))).formatText
            },
            "OR inside AND": {
                let texts = or(key("label", .contains, "text_contains"), key("title", .contains, "text_contains"))
                return and(texts, key("identifier", .equalTo, "resource_id")).formatText
            },
            "three-way AND": {
                and(
                    key("canvasContextID", .equalTo, "course_someCourseID"), key("id", .notEqualTo, nil),
                    key("userID", .equalTo, "someUserID")
                ).formatText
            },
            "none().contains": {
                let element = NSExpression(format: "$e.tag_name")
                return count(
                    "tags",
                    comparison(
                        element, .contains, NSExpression(forConstantValue: "legacy"),
                        [.caseInsensitive, .diacriticInsensitive])
                ).formatText
            },
            "none().equals": {
                let element = NSExpression(format: "$e.tag_name")
                return count("tags", comparison(element, .equalTo, NSExpression(forConstantValue: "Swift"))).formatText
            },
            "SUBQUERY with NOT inside": {
                let element = NSExpression(format: "$e.tag_name")
                return count("tags", not(comparison(element, .equalTo, NSExpression(forConstantValue: "Swift"))))
                    .formatText
            },
            """
            (%f <= longitude AND …) AND SUBQUERY(stopTimes, $x, %@ <= $x.departureTime AND …).@count != 0
            """: dates,
            "nested SUBQUERY": {
                NSPredicate(
                    format: "SUBQUERY($x.friends, $y, $y.name CONTAINS 'L' AND $y.birthYear > 2010).@count > 0"
                ).formatText
            },
        ]
    }
}
