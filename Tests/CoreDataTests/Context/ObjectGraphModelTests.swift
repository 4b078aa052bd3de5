import Foundation
import Testing

@testable import CoreData

/// Random edits of a graph beside a naive one of plain values.
@Suite("A graph under random edits")
struct ObjectGraphModelTests {
    static let isSlow = ProcessInfo.processInfo.environment["SLOW_TESTS"] == "1"

    @Test(
        "is what a naive graph says it should be, through saves, undo, children, merges and conflicts",
        arguments: isSlow ? Randomness.seeds(20) : [1, 2, 3, 4])
    func random(_ seed: UInt64) throws {
        print("ObjectGraphModelTests: seed \(seed)")
        let run = try GraphRun(seed)
        for step in 0..<(Self.isSlow ? 400 : 100) {
            run.note = "seed \(seed), step \(step)"
            do {
                try run.step()
            } catch {
                Issue.record("\(run.note): \(error)")
                return
            }
            if run.hasFailed { return }
        }
    }

    /// About one sequence in twenty; a fresh seed is therefore tried in the slow run only. Two are about a denied deletion
    /// that is saved, two about the one-to-one relationship of a child context's object.
    @Test(
        "isn't yet what it should be after a few sequences", arguments: [837_719_823, 627_955_291, 30, 58] as [UInt64])
    func known(_ seed: UInt64) {
        withKnownIssue { try random(seed) }
    }
}

/// One run: a context, and what it should have.
private final class GraphRun {
    let fixture: Fixture
    let context: NSManagedObjectContext
    let manager = UndoManager()
    var random: Randomness
    var note = ""
    var hasFailed = false
    private var count = 0
    /// The unsaved graph, and the one in the file.
    private var live = ReferenceGraph()
    private var stored = ReferenceGraph()
    private var undoStack: [ReferenceGraph] = []
    private var redoStack: [ReferenceGraph] = []
    /// Keeps the context's objects in memory, or some of them.
    private var held: [NSManagedObject] = []

    init(_ seed: UInt64) throws {
        random = Randomness(seed)
        fixture = try Fixture(ReferenceGraph.model(), rootType: .privateQueueConcurrencyType)
        context = fixture.context
        manager.groupsByEvent = false
        // Only steps can be undone; a manager without open groups takes nothing else.
        manager.disableUndoRegistration()
        context.undoManager = manager
    }

    func step() throws {
        switch random.next(40) {
        case 0...13: try edit()
        case 14...17: undo()
        case 18...20: redo()
        case 21...24: try save()
        case 25: rollback()
        case 26: reset()
        case 27, 28: try refresh()
        case 29...31: try child()
        case 32, 33: try sibling()
        case 34, 35: try conflict()
        case 36: try upsert()
        case 37: try denied()
        case 38: try equalTexts()
        default: held = try random.chance(2) ? [] : context.find("Node") + context.find("Leaf")
        }
        if random.chance(2) { check(try ReferenceGraph(context), live, "in the context") }
    }

    private func check(_ found: ReferenceGraph, _ wanted: ReferenceGraph, _ what: String) {
        guard found.normal != wanted.normal else { return }
        hasFailed = true
        Issue.record("\(note), \(what):\n\(found.difference(wanted))")
    }

    private func expect(_ condition: Bool, _ what: String) {
        guard !condition else { return }
        hasFailed = true
        Issue.record("\(note): \(what)")
    }

    // MARK: Edits

    /// Some edits, as one step that can be undone.
    private func edit() throws {
        try asStep { try edit(context, random.next(4) + 1) }
    }

    private func asStep(_ body: () throws -> Void) throws {
        let before = live
        manager.enableUndoRegistration()
        manager.beginUndoGrouping()
        try body()
        context.processPendingChanges()
        manager.endUndoGrouping()
        manager.disableUndoRegistration()
        undoStack.append(before)
        if !manager.canRedo { redoStack = [] }
    }

    /// Edits the graph in a context and in plain values.
    private func edit(_ context: NSManagedObjectContext, _ edits: Int) throws {
        var objects: [String: NSManagedObject] = [:]
        for object in try context.find("Node") + context.find("Leaf") { objects[object.name] = object }
        func pick(_ entity: String) -> (String, NSManagedObject)? {
            let names = live.names(entity)
            guard !names.isEmpty else { return nil }
            let name = random.pick(names)
            expect(objects[name] != nil, "\(name) is not in the context")
            return objects[name].map { (name, $0) }
        }
        for _ in 0..<edits {
            switch random.next(14) {
            case 0...3:
                count += 1
                let (name, entity) = ("o\(count)", random.pick(["Node", "Special", "Leaf", "Leaf"]))
                objects[name] = NSManagedObject.with(entity, name, context)
                live.things[name] = .init(entity: entity)
            case 4:
                guard let (name, object) = pick(random.pick(["Node", "Leaf"])) else { continue }
                live.things[name]?.number = random.maybe([0, 1, 2])
                object.setValue(live.things[name]?.number, forKey: "number")
            case 5:
                guard let (name, object) = pick("Leaf") else { continue }
                count += 1
                live.things[name]?.text = random.maybe(["t\(count)"])
                object.setValue(live.things[name]?.text, forKey: "text")
            case 6:
                // Unique values change hands.
                guard let (a, first) = pick("Leaf"), let (b, second) = pick("Leaf") else { continue }
                let (x, y) = (live.things[a]?.text, live.things[b]?.text)
                first.setValue(y, forKey: "text")
                live.things[a]?.text = y
                guard a != b else { continue }
                second.setValue(x, forKey: "text")
                live.things[b]?.text = x
            case 7...9:
                let relationship = random.pick(ReferenceGraph.relationships.filter { !$0.isToMany })
                guard let (a, object) = pick(relationship.source) else { continue }
                guard let (b, other) = random.chance(5) ? nil : pick(relationship.target) else {
                    object.setValue(nil, forKey: relationship.name)
                    live.set(a, relationship, [])
                    continue
                }
                object.setValue(other, forKey: relationship.name)
                live.link(a, relationship, b)
            case 10, 11:
                let relationship = random.pick(ReferenceGraph.relationships.filter(\.isToMany))
                guard let (a, object) = pick(relationship.source) else { continue }
                var others = live.ends(a, relationship.name).filter { _ in !random.chance(4) }
                for name in live.names(relationship.target) where random.chance(6) && !others.contains(name) {
                    others.append(name)
                }
                if random.chance(3) { others.shuffle(using: &random) }
                let list = others.compactMap { objects[$0] }
                object.setValue(
                    relationship.isOrdered ? NSOrderedSet(array: list) as Any : Set(list), forKey: relationship.name)
                live.set(a, relationship, others)
            case 12:
                let relationship = random.pick(ReferenceGraph.relationships.filter { $0.isToMany && !$0.isOrdered })
                guard let (a, object) = pick(relationship.source), let (b, other) = pick(relationship.target) else {
                    continue
                }
                let set = object.mutableSetValue(forKey: relationship.name)
                if live.ends(a, relationship.name).contains(b) {
                    set.remove(other)
                    live.unlink(a, relationship, b)
                } else {
                    set.add(other)
                    live.link(a, relationship, b)
                }
            default:
                guard let (name, object) = pick(random.pick(["Node", "Leaf"])), !live.isDenied(name) else { continue }
                let gone = live.closure(name)
                context.delete(object)
                context.processPendingChanges()
                live.delete(name)
                for name in gone { objects[name] = nil }
            }
        }
    }

    // MARK: Back and forth

    private func undo() {
        guard let before = undoStack.popLast() else { return }
        redoStack.append(live)
        live = before
        manager.enableUndoRegistration()
        context.undo()
        manager.disableUndoRegistration()
    }

    private func redo() {
        guard let next = redoStack.popLast() else { return }
        undoStack.append(live)
        live = next
        manager.enableUndoRegistration()
        context.redo()
        manager.disableUndoRegistration()
    }

    private func forgetSteps() {
        (undoStack, redoStack) = ([], [])
        manager.removeAllActions()
        // That has enabled it.
        manager.disableUndoRegistration()
    }

    private func rollback() {
        context.rollback()
        live = stored
        forgetSteps()
        expect(!context.hasChanges, "changes after a rollback")
    }

    private func reset() {
        context.reset()
        (live, held) = (stored, [])
        forgetSteps()
        expect(context.registeredObjects.isEmpty, "objects after a reset")
    }

    /// Reads anew what has no changes, and keeps the changes of the rest.
    private func refresh() throws {
        if random.chance(2) { return context.refreshAllObjects() }
        for object in try context.find("Node") + context.find("Leaf") where random.chance(2) {
            context.refresh(object, mergeChanges: object.hasChanges || random.chance(2))
        }
    }

    // MARK: Saving

    private func save() throws {
        try context.save()
        stored = live
        expect(!context.hasChanges, "changes after a save")
        check(try ReferenceGraph(file: fixture), stored, "in the file")
        if random.chance(3) { check(try ReferenceGraph(fixture.freshContext()), stored, "in a fresh context") }
    }

    /// Edits in a child, or a child's child, that come up or are dropped.
    private func child() throws {
        let before = live
        let child = ChildContextTests.child(of: context)
        let grandchild = random.chance(3) ? ChildContextTests.child(of: child) : nil
        let editing = grandchild ?? child
        let editsBelow = random.next(6) + 1
        try edit(editing, editsBelow)
        if random.chance(2) { check(try ReferenceGraph(editing), live, "in a child") }
        if random.chance(4) {
            editing.rollback()
            live = before
            check(try ReferenceGraph(editing), live, "in a child after its rollback")
            return
        }
        let after = live
        live = before
        if grandchild != nil { try editing.save() }
        try asStep {
            try child.save()
            live = after
        }
        if random.chance(2) {
            check(try ReferenceGraph(editing), live, "in a child after its save")
            try edit(editing, 2)
            let later = live
            live = after
            if grandchild != nil { try editing.save() }
            try asStep {
                try child.save()
                live = later
            }
        }
        if random.chance(3) {
            try save()
            check(try ReferenceGraph(editing), live, "in a child after the root's save")
        }
    }

    /// Edits in another context of the coordinator, which are merged.
    private func sibling() throws {
        try save()
        let other = fixture.secondContext()
        try edit(other, random.next(6) + 1)
        let context = self.context
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { note in context.mergeChanges(fromContextDidSave: note) }
        defer { NotificationCenter.default.removeObserver(token) }
        try other.save()
        stored = live
        forgetSteps()
        check(try ReferenceGraph(file: fixture), stored, "in the file of a sibling")
        check(try ReferenceGraph(context), live, "after merging a sibling's save")
        // What was merged as deleted is gone with the next save.
        try save()
    }

    /// Two contexts change the attributes of one node.
    private func conflict() throws {
        try save()
        guard let name = live.names("Node").first, let old = live.things[name] else { return }
        let other = fixture.secondContext()
        let (mine, theirs) = (try context.one("Node", name), try other.one("Node", name))
        _ = mine.value(forKey: "number")
        var (my, their) = (old, old)
        for key in ["number", "text"] where random.chance(2) {
            their[key] = random.next(4)
            theirs.setValue(key == "number" ? their.number as Any? : their.text, forKey: key)
        }
        for key in ["number", "text"] where random.chance(2) {
            my[key] = random.next(4)
            mine.setValue(key == "number" ? my.number as Any? : my.text, forKey: key)
        }
        try other.save()
        var (stays, merged) = (their, their)
        for key in ["number", "text"] where my[key] != old[key] {
            merged[key] = my[key]
            if their[key] == old[key] { stays[key] = my[key] }
        }
        let type = random.pick([
            NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
        context.mergePolicy = NSMergePolicy(merge: type)
        let isConflict = my != old && their != old
        if type == .errorMergePolicyType, isConflict {
            expect(errorCode { try context.save() } == .managedObjectMerge, "no error for a conflict")
            context.refresh(mine, mergeChanges: true)
        }
        try context.save()
        context.mergePolicy = NSMergePolicy.error
        live.things[name] =
            switch type {
            case _ where !isConflict: merged
            case .errorMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType: merged
            case .mergeByPropertyStoreTrumpMergePolicyType: stays
            case .overwriteMergePolicyType: my
            case .rollbackMergePolicyType: their
            }
        stored = live
        forgetSteps()
        check(try ReferenceGraph(file: fixture), live, "in the file after a conflict under policy \(type)")
        // Without a conflict nobody has told this context what the other one has saved.
        if !isConflict { context.refreshAllObjects() }
        check(try ReferenceGraph(context), live, "after a conflict under policy \(type)")
    }

    /// A new leaf with the unique text of another.
    private func upsert() throws {
        try save()
        guard let name = live.names("Leaf").first(where: { live.things[$0]?.text != nil }),
            let node = live.names("Node").last, let row = ReferenceGraph.byName["rowNode"],
            let tags = ReferenceGraph.byName["tagNodes"]
        else { return }
        let isObjectTrump = random.chance(2)
        try asStep {
            let double = NSManagedObject.with("Leaf", name, context)
            double.setValue(live.things[name]?.text, forKey: "text")
            double.setValue(9, forKey: "number")
            let target = try context.one("Node", node)
            double.setValue(target, forKey: "rowNode")
            double.setValue(Set([target]), forKey: "tagNodes")
        }
        context.mergePolicy =
            isObjectTrump ? NSMergePolicy.mergeByPropertyObjectTrump : NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        context.mergePolicy = NSMergePolicy.error
        if isObjectTrump { live.things[name]?.number = 9 }
        live.link(name, tags, node)
        if isObjectTrump || live.ends(name, "rowNode").isEmpty { live.link(name, row, node) }
        stored = live
        forgetSteps()
        check(try ReferenceGraph(context), live, "after an upsert (object trump: \(isObjectTrump))")
        check(try ReferenceGraph(file: fixture), live, "in the file after an upsert (object trump: \(isObjectTrump))")
    }

    /// A deletion that a rule denies.
    private func denied() throws {
        guard let name = live.names("Node").first(where: { live.isDenied($0) }) else { return }
        let object = try context.one("Node", name)
        try asStep { context.delete(object) }
        let code = errorCode { try context.save() }
        expect(
            code == .validationRelationshipDeniedDelete || code == .validationMultipleErrors,
            "\(code.map { "\($0.rawValue)" } ?? "nothing") instead of a denied deletion")
        check(try ReferenceGraph(file: fixture), stored, "in the file after a denied deletion")
        undo()
        redoStack = []
        check(try ReferenceGraph(context), live, "after undoing a denied deletion")
    }

    /// Two leaves with one text, saved under the error policy.
    private func equalTexts() throws {
        let names = live.names("Leaf")
        guard names.count > 1 else { return }
        try asStep {
            for name in names.prefix(2) { try context.one("Leaf", name).setValue("equal", forKey: "text") }
        }
        expect(errorCode { try context.save() } == .managedObjectConstraintMerge, "equal texts were saved")
        check(try ReferenceGraph(file: fixture), stored, "in the file after a violated constraint")
        undo()
        redoStack = []
    }
}

extension ReferenceGraph.Thing {
    /// An attribute as a number; texts are numbers in text.
    fileprivate subscript(key: String) -> Int? {
        get { key == "number" ? number : text.flatMap { Int($0) } }
        set { if key == "number" { number = newValue } else { text = newValue.map { "\($0)" } } }
    }
}
