import FoundationSupplement
import Testing

/// Swift predicates become the texts that Apple's own tests name.
@Suite struct SwiftPredicateTests {
    final class Item: NSObject {
        var a = 2
        var b = "text"
        var f = true
        var g = [2, 3]
        var h = ["A": 1]
        var i = Date(timeIntervalSinceReferenceDate: 0)
        var j: String?
    }

    private func text(_ predicate: Predicate<Item>) -> String? {
        NSPredicate(predicate)?.formatText
    }

    @Test func texts() {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        #expect(text(#Predicate { $0.a == 2 }) == "a == 2")
        #expect(text(#Predicate { $0.a + 2 == 4 }) == "a + 2 == 4")
        #expect(text(#Predicate { $0.b.count == 5 }) == "b.length == 5")
        #expect(text(#Predicate { $0.g.count == 5 }) == "g.@count == 5")
        #expect(
            text(#Predicate { $0.g.contains { $0 == 2 } })
                == "SUBQUERY(g, $_local_1, $_local_1 == 2).@count != 0")
        #expect(
            text(#Predicate { $0.g.allSatisfy { $0 == 2 } })
                == "SUBQUERY(g, $_local_1, NOT $_local_1 == 2).@count == 0")
        #expect(text(#Predicate { (date...date).contains($0.i) })?.hasPrefix("i BETWEEN {CAST(") == true)
        #expect(text(#Predicate { (date..<date).contains($0.i) })?.contains(" AND i < CAST(") == true)
        #expect(text(#Predicate { $0.f }) == "f == 1")
        #expect(text(#Predicate { ($0.j ?? "").count == 0 }) == "TERNARY(j != nil, j, \"\").length == 0")
        #expect(
            text(#Predicate { $0.b.contains("x") && !$0.b.starts(with: "y") })
                == "b CONTAINS \"x\" AND (NOT b BEGINSWITH \"y\")")
        #expect(text(#Predicate { $0.g[0] == 2 && $0.h["A"] == 1 }) == "g[0] == 2 AND h[\"A\"] == 1")
        #expect(text(#Predicate { -$0.a == 1 || $0.a % 2 == 1 }) == "a * -1 == 1 OR modulus:by:(a, 2) == 1")
        #expect(text(#Predicate { $0.g.max() == $0.g.min() }) == "g.@max.#self == g.@min.#self")
        #expect(text(#Predicate { $0.g.contains($0.a) }) == "a IN g")
    }

    @Test func evaluation() throws {
        let predicate = try #require(NSPredicate(#Predicate<Item> { $0.g.contains { $0 == 3 } && $0.j == nil && $0.f }))
        #expect(predicate.evaluate(with: Item()))
        let optional = try #require(NSPredicate(#Predicate<Item> { $0.j?.count == 3 }))
        let item = Item()
        #expect(!optional.evaluate(with: item))
        item.j = "abc"
        #expect(optional.evaluate(with: item))
    }
}
