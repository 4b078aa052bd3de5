/// An ordered set that reads and changes a property of an object: what `mutableOrderedSetValue(forKey:)` gives.
///
/// The methods of Foundation's ordered sets that subclasses can't override — iteration, `firstObject`, `lastObject`,
/// `reversed`, `array`, `set` — read elements that the superclass keeps. So this class keeps a copy of the property's
/// there, and brings it up to date whenever anything else is asked and before and after each change. Only these methods
/// may show the property as it was before something else changed it.
///
/// Every change writes the whole property once, and so costs time in proportion to its size.
package final class MutableOrderedSetProxy: NSMutableOrderedSet {
    private let read: () -> [Any]
    private let write: ([Any]) -> Void
    /// What the superclass has.
    private var copied: [Any] = []
    /// Methods of the superclass call each other; only the outermost reads and writes the property.
    private var depth = 0

    /// - Parameters:
    ///   - read: The property's elements.
    ///   - write: Sets the property.
    package init(read: @escaping () -> [Any], write: @escaping ([Any]) -> Void) {
        self.read = read
        self.write = write
        super.init(objects: nil, count: 0)
        refresh()
    }

    /// A set of its own, as the superclass wants it.
    package override convenience init(capacity numItems: Int) {
        let own = NSMutableArray(capacity: numItems)
        self.init(read: { own.map { $0 } }, write: { own.setArray($0) })
    }

    package required convenience init?(coder: NSCoder) {
        guard let elements = NSOrderedSet(coder: coder)?.array else { return nil }
        self.init(capacity: elements.count)
        addObjects(from: elements)
    }

    package required convenience init(arrayLiteral elements: Any...) {
        self.init(capacity: elements.count)
        addObjects(from: elements)
    }

    /// Takes over what the property has now.
    package func refresh() {
        guard depth == 0 else { return }
        let elements = read()
        guard !elements.elementsEqual(copied, by: Self.isSame) else { return }
        depth += 1
        defer { depth -= 1 }
        super.removeAllObjects()
        super.addObjects(from: elements)
        copied = elements
    }

    /// The same object or an equal value; what is merely equal among objects may have to be replaced.
    private static func isSame(_ a: Any, _ b: Any) -> Bool {
        if type(of: a) is AnyClass, type(of: b) is AnyClass { return a as AnyObject === b as AnyObject }
        return (a as? AnyHashable) == (b as? AnyHashable)
    }

    private func mutate(_ body: () -> Void) {
        refresh()
        depth += 1
        body()
        depth -= 1
        guard depth == 0 else { return }
        let elements = super.map { $0 }
        if !elements.elementsEqual(copied, by: Self.isSame) {
            write(elements)
            copied = elements
        }
        // The property may not have taken it.
        refresh()
    }

    private func current<T>(_ body: () -> T) -> T {
        refresh()
        return body()
    }

    // MARK: Reading

    package override var count: Int { current { super.count } }
    package override func object(at idx: Int) -> Any { current { super.object(at: idx) } }
    package override func index(of object: Any) -> Int { current { super.index(of: object) } }
    package override func contains(_ object: Any) -> Bool { current { super.contains(object) } }
    package override var description: String { current { super.description } }
    package override var hash: Int { count }
    package override func copy(with zone: NSZone? = nil) -> Any { current { NSOrderedSet(array: super.map { $0 }) } }
    package override func mutableCopy(with zone: NSZone? = nil) -> Any {
        current { NSMutableOrderedSet(array: super.map { $0 }) }
    }
    package override func enumerateObjects(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
        current { super.enumerateObjects(block) }
    }
    package override func enumerateObjects(
        at s: IndexSet, options opts: NSEnumerationOptions = [],
        using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
    ) { current { super.enumerateObjects(at: s, options: opts, using: block) } }
    package override func index(
        ofObjectAt s: IndexSet, options opts: NSEnumerationOptions = [],
        passingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
    ) -> Int { current { super.index(ofObjectAt: s, options: opts, passingTest: predicate) } }
    package override func indexes(
        ofObjectsAt s: IndexSet, options opts: NSEnumerationOptions = [],
        passingTest predicate: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
    ) -> IndexSet { current { super.indexes(ofObjectsAt: s, options: opts, passingTest: predicate) } }
    package override func index(
        of object: Any, inSortedRange range: NSRange, options opts: NSBinarySearchingOptions = [],
        usingComparator cmp: (Any, Any) -> ComparisonResult
    ) -> Int { current { super.index(of: object, inSortedRange: range, options: opts, usingComparator: cmp) } }
    package override func sortedArray(
        options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) -> [Any] { current { super.sortedArray(options: opts, usingComparator: cmptr) } }
    package override func sortedArray(using sortDescriptors: [NSSortDescriptor]) -> [Any] {
        current { super.sortedArray(using: sortDescriptors) }
    }

    // MARK: Changing

    package override func insert(_ object: Any, at idx: Int) { mutate { super.insert(object, at: idx) } }
    package override func removeObject(at idx: Int) { mutate { super.removeObject(at: idx) } }
    package override func replaceObject(at idx: Int, with obj: Any) {
        mutate { super.replaceObject(at: idx, with: obj) }
    }
    package override func add(_ object: Any) { mutate { super.add(object) } }
    package override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        mutate { super.add(objects, count: count) }
    }
    package override func addObjects(from array: [Any]) { mutate { super.addObjects(from: array) } }
    package override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        mutate { super.exchangeObject(at: idx1, withObjectAt: idx2) }
    }
    package override func moveObjects(at indexes: IndexSet, to idx: Int) {
        mutate { super.moveObjects(at: indexes, to: idx) }
    }
    package override func insert(_ objects: [Any], at indexes: IndexSet) {
        mutate { super.insert(objects, at: indexes) }
    }
    package override func setObject(_ obj: Any, at idx: Int) { mutate { super.setObject(obj, at: idx) } }
    package override func replaceObjects(in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int) {
        mutate { super.replaceObjects(in: range, with: objects, count: count) }
    }
    package override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        mutate { super.replaceObjects(at: indexes, with: objects) }
    }
    package override func removeObjects(in range: NSRange) { mutate { super.removeObjects(in: range) } }
    package override func removeObjects(at indexes: IndexSet) { mutate { super.removeObjects(at: indexes) } }
    package override func removeAllObjects() { mutate { super.removeAllObjects() } }
    package override func remove(_ val: Any) { mutate { super.remove(val) } }
    package override func removeObjects(in array: [Any]) { mutate { super.removeObjects(in: array) } }
    package override func intersect(_ other: NSOrderedSet) { mutate { super.intersect(other) } }
    package override func minus(_ other: NSOrderedSet) { mutate { super.minus(other) } }
    package override func union(_ other: NSOrderedSet) { mutate { super.union(other) } }
    package override func intersectSet(_ other: Set<AnyHashable>) { mutate { super.intersectSet(other) } }
    package override func minusSet(_ other: Set<AnyHashable>) { mutate { super.minusSet(other) } }
    package override func unionSet(_ other: Set<AnyHashable>) { mutate { super.unionSet(other) } }
    package override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) { mutate { super.sortRange(range, options: opts, usingComparator: cmptr) } }
    package override func sort(using sortDescriptors: [NSSortDescriptor]) {
        mutate { super.sort(using: sortDescriptors) }
    }
}
