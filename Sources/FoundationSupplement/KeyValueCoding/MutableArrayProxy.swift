/// An array that reads and changes a property of an object: what `mutableArrayValue(forKey:)` gives.
///
/// It keeps no elements of its own. Every change writes the whole property once.
package final class MutableArrayProxy: NSMutableArray {
    private let read: () -> [Any]
    private let write: ([Any]) -> Void

    /// - Parameters:
    ///   - read: The property's elements.
    ///   - write: Sets the property.
    package init(read: @escaping () -> [Any], write: @escaping ([Any]) -> Void) {
        self.read = read
        self.write = write
        super.init(objects: nil, count: 0)
    }

    /// An array of its own, as the superclass wants it.
    package override convenience init(capacity numItems: Int) {
        let own = NSMutableArray(capacity: numItems)
        self.init(read: { own.map { $0 } }, write: { own.setArray($0) })
    }

    package required convenience init(objects: UnsafePointer<AnyObject>?, count cnt: Int) {
        self.init(capacity: cnt)
        setArray(NSArray(objects: objects, count: cnt).map { $0 })
    }

    package required convenience init?(coder: NSCoder) {
        guard let elements = NSArray(coder: coder) else { return nil }
        self.init(capacity: elements.count)
        setArray(elements.map { $0 })
    }

    package required convenience init(arrayLiteral elements: Any...) {
        self.init(capacity: elements.count)
        setArray(elements)
    }

    /// Changes a copy, and sets that.
    private func change(_ body: (NSMutableArray) -> Void) {
        let elements = NSMutableArray(array: read())
        body(elements)
        write(elements.map { $0 })
    }

    // MARK: Reading

    package override var count: Int { read().count }
    package override func object(at index: Int) -> Any { NSArray(array: read()).object(at: index) }

    // MARK: Changing

    package override func add(_ anObject: Any) { change { $0.add(anObject) } }
    package override func addObjects(from otherArray: [Any]) { change { $0.addObjects(from: otherArray) } }
    package override func insert(_ anObject: Any, at index: Int) { change { $0.insert(anObject, at: index) } }
    package override func insert(_ objects: [Any], at indexes: IndexSet) { change { $0.insert(objects, at: indexes) } }
    package override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        change { $0.exchangeObject(at: idx1, withObjectAt: idx2) }
    }
    package override func remove(_ anObject: Any) { change { $0.remove(anObject) } }
    package override func remove(_ anObject: Any, in range: NSRange) { change { $0.remove(anObject, in: range) } }
    package override func removeAllObjects() { change { $0.removeAllObjects() } }
    package override func removeLastObject() { change { $0.removeLastObject() } }
    package override func removeObject(at index: Int) { change { $0.removeObject(at: index) } }
    package override func removeObject(identicalTo anObject: Any) { change { $0.removeObject(identicalTo: anObject) } }
    package override func removeObject(identicalTo anObject: Any, in range: NSRange) {
        change { $0.removeObject(identicalTo: anObject, in: range) }
    }
    package override func removeObjects(at indexes: IndexSet) { change { $0.removeObjects(at: indexes) } }
    package override func removeObjects(in range: NSRange) { change { $0.removeObjects(in: range) } }
    package override func removeObjects(in otherArray: [Any]) { change { $0.removeObjects(in: otherArray) } }
    package override func replaceObject(at index: Int, with anObject: Any) {
        change { $0.replaceObject(at: index, with: anObject) }
    }
    package override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        change { $0.replaceObjects(at: indexes, with: objects) }
    }
    package override func replaceObjects(in range: NSRange, withObjectsFrom otherArray: [Any]) {
        change { $0.replaceObjects(in: range, withObjectsFrom: otherArray) }
    }
    package override func replaceObjects(
        in range: NSRange, withObjectsFrom otherArray: [Any], range otherRange: NSRange
    ) { change { $0.replaceObjects(in: range, withObjectsFrom: otherArray, range: otherRange) } }
    package override func setArray(_ otherArray: [Any]) { change { $0.setArray(otherArray) } }
    package override func sort(
        _ compare: (Any, Any, UnsafeMutableRawPointer?) -> Int, context: UnsafeMutableRawPointer?
    ) { change { $0.sort(compare, context: context) } }
    package override func sort(options opts: NSSortOptions = [], usingComparator cmptr: Comparator) {
        change { $0.sort(options: opts, usingComparator: cmptr) }
    }
    package override func sort(using sortDescriptors: [NSSortDescriptor]) { change { $0.sort(using: sortDescriptors) } }
}
