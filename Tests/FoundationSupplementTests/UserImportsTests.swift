// The imports of a user's file: nothing here may need more.
import Foundation
import FoundationSupplement
import Testing

/// What users write next to `import Foundation` finds our initialisers, not the unavailable ones.
@Suite struct UserImportsTests {
    final class Note {
        let title: String?
        let number: Int

        init(_ title: String?, _ number: Int) {
            self.title = title
            self.number = number
        }
    }

    @Test func formatInitialisers() throws {
        let title: String? = "a"
        let predicate = NSPredicate(format: "title == %@ AND %K > %d", title, "number", 2)
        #expect(predicate.evaluate(with: Note("a", 3)))
        #expect(!predicate.evaluate(with: Note(nil, 3)))
        #expect(NSPredicate(format: "number == 3").evaluate(with: Note("a", 3)))
        #expect(NSPredicate(format: "number == %@", argumentArray: [3]).evaluate(with: Note("a", 3)))
        #expect(throws: PredicateFormatError.self) { try NSPredicate(validating: "title ==") }
        let template: NSPredicate = NSPredicate(format: "number == $N")
        #expect(template.withSubstitutionVariables(["N": 3]).evaluate(with: Note("a", 3)))
        #expect(template.evaluate(with: Note("a", 3), substitutionVariables: ["N": 3]))
    }

    /// The classes that Foundation declares too can be made without naming a module.
    @Test func classesOfTheSameName() {
        let left = NSExpression(forKeyPath: "number")
        let predicate = NSComparisonPredicate(
            leftExpression: left, rightExpression: NSExpression(forConstantValue: 3), modifier: .direct,
            type: .equalTo, options: [])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, NSPredicate(value: true)])
        #expect(both.evaluate(with: Note("a", 3)))
    }

    @Test func sortDescriptors() {
        let notes = [Note("b", 1), Note("a", 2), Note(nil, 3)]
        let byKey = notes.sorted(using: [NSSortDescriptor(key: "title", ascending: true)])
        #expect(byKey.map(\.number) == [3, 2, 1])
        let byKeyPath = notes.sorted(using: [NSSortDescriptor(keyPath: \Note.title, ascending: false)])
        #expect(byKeyPath.map(\.number) == [1, 2, 3])
        let byNumber = NSSortDescriptor(keyPath: \Note.number, ascending: false)
        #expect(notes.sorted(using: [byNumber]).map(\.number) == [3, 2, 1])
        #expect(byNumber.key == "number")
        let array = NSArray(array: notes).sortedArray(using: [NSSortDescriptor(key: "number", ascending: false)])
        #expect(array.compactMap { ($0 as? Note)?.number } == [3, 2, 1])
        #expect(notes.filtered(using: NSPredicate(format: "number < 3")).count == 2)
        #expect(NSArray(array: notes).filtered(using: NSPredicate(format: "number < 3")).count == 2)
    }
}
