import FoundationSupplement
import Testing

/// The order that sort descriptors give.
@Suite struct SortDescriptorTests {
    private func sorted(_ values: [String], _ selector: SortSelector?) -> [String] {
        values.sorted(using: [NSSortDescriptor(key: nil, ascending: true, selector: selector)])
    }

    @Test func strings() {
        #expect(sorted(["b", "a", "B", "é"], nil) == ["B", "a", "b", "é"])
        #expect(sorted(["b", "A", "C"], .caseInsensitiveCompare) == ["A", "b", "C"])
        #expect(sorted(["file10", "file9", "File1"], .localizedStandardCompare) == ["File1", "file9", "file10"])
    }

    @Test func valuesAndNil() throws {
        let rows: [[String: Any]] = [["n": 2.5], ["n": 2], [:], ["n": NSNumber(value: -1)]]
        let up = try rows.sortedThrowing(using: [NSSortDescriptor(key: "n", ascending: true)])
        #expect(up.map { ($0["n"] as? NSNumber)?.doubleValue ?? 0 } == [0, -1, 2, 2.5])
        let down = try rows.sortedThrowing(using: [NSSortDescriptor(key: "n", ascending: false)])
        #expect(down.last?.isEmpty == true)
    }

    @Test func severalDescriptors() {
        let rows = [["a": 1, "b": 2], ["a": 0, "b": 9], ["a": 1, "b": 1]]
        let descriptors = [NSSortDescriptor(key: "a", ascending: false), NSSortDescriptor(key: "b", ascending: true)]
        #expect(rows.sorted(using: descriptors) == [rows[2], rows[0], rows[1]])
        let reversed = descriptors.compactMap { $0.reversedSortDescriptor as? NSSortDescriptor }
        #expect(rows.sorted(using: reversed) == [rows[1], rows[0], rows[2]])
    }

    @Test func comparators() {
        let byLength = NSSortDescriptor(key: nil, ascending: true) { left, right in
            let (left, right) = (left as? String ?? "", right as? String ?? "")
            return left.count < right.count ? .orderedAscending : .orderedDescending
        }
        #expect(["ccc", "a", "bb"].sorted(using: [byLength]) == ["a", "bb", "ccc"])
        #expect(byLength.selector == nil && byLength.key == nil)
    }

    @Test func properties() {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: false, selector: .localizedCompare)
        #expect(descriptor.key == "a.b" && !descriptor.ascending && descriptor.selector == .localizedCompare)
        #expect(descriptor == NSSortDescriptor(key: "a.b", ascending: false, selector: .localizedCompare))
        #expect(descriptor != NSSortDescriptor(key: "a.b", ascending: true, selector: .localizedCompare))
        #expect(descriptor.copy() as? NSSortDescriptor == descriptor)
    }

    @Test func swiftDescriptors() {
        final class Item: NSObject {
            let title: String
            let size: Int?

            init(_ title: String, _ size: Int?) {
                self.title = title
                self.size = size
            }
        }
        let items = [Item("b", nil), Item("a", 1), Item("c", 2)]
        let byTitle = NSSortDescriptor(SortDescriptor(\Item.title, order: .reverse))
        #expect(byTitle.key == "title" && !byTitle.ascending && byTitle.selector == .compare)
        #expect(items.sorted(using: [byTitle]).map(\.title) == ["c", "b", "a"])
        let bySize = NSSortDescriptor(SortDescriptor(\Item.size))
        #expect(items.sorted(using: [bySize]).map(\.title) == ["b", "a", "c"])
        #expect(NSSortDescriptor(SortDescriptor(\Item.title, comparator: .lexical)).selector == .compare)
    }

    @Test func valuesWithoutOrder() {
        let rows: [[String: Any]] = [["n": 2], ["n": "x"]]
        #expect(throws: PredicateEvaluationError.self) {
            try rows.sortedThrowing(using: [NSSortDescriptor(key: "n", ascending: true)])
        }
    }
}
