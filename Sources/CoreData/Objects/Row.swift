import Glibc

/// A row as it was read from a store: never changed, so that objects and snapshots share it.
package final class Row: PointerTableEntry {
    /// `Z_OPT`: how often the row was saved.
    package let version: Int64
    /// By slot of the entity's layout.
    package let values: [SlotValue]

    // Where the row is kept for others to find; written once, by the cache, before others can.
    @exclusivity(unchecked) fileprivate(set) var cache: RowCache?
    @exclusivity(unchecked) fileprivate var primaryKey: Int64 = 0
    /// When the row was read, in seconds of a clock that only runs forward.
    @exclusivity(unchecked) fileprivate(set) var readAt: Double = 0
    // Under the cache's lock.
    @exclusivity(unchecked) fileprivate var isSuperseded = false

    package init(version: Int64, values: [SlotValue]) {
        self.version = version
        self.values = values
    }

    deinit { cache?.leave(self) }

    func isSame(as other: Row) -> Bool {
        version == other.version && values.count == other.values.count
            && values.indices.allSatisfy { values[$0].isSame(as: other.values[$0]) }
    }

    final var key: ObjectKey { ObjectKey(space: ObjectIdentifier(Row.self), primaryKey: primaryKey) }
}

/// The row cache of one table: the newest row of each key, for as long as anyone holds *any* row of that key.
///
/// Contexts of one coordinator share rows through it, learn from it what another context has saved, and notice
/// conflicts by it without asking the store. Rows are held weakly: the objects that use them keep them. Only a row that
/// has replaced one which somebody still holds is kept by the cache itself, until the last such holder lets go.
package final class RowCache: @unchecked Sendable {
    private let lock = NSLock()
    // Both only under the lock.
    @exclusivity(unchecked) private var table = PointerTable<Row>()
    @exclusivity(unchecked) private var kept: [Int64: Kept] = [:]
    /// When something was last saved. What began to be read before then may be older than what nobody holds any more.
    @exclusivity(unchecked) private var lastWritten: Double = -1

    private struct Kept {
        var newest: Row
        /// How many rows that were replaced are still held.
        var replaced: Int
    }

    /// The newest row of a key, unless it was read longer ago than `staleness` seconds; a negative number means never.
    func row(_ primaryKey: Int64, staleness: Double = -1) -> Row? {
        // No row is let go under the lock, which its deinit takes.
        lock.lock()
        let row = table.element(ObjectKey(space: ObjectIdentifier(Row.self), primaryKey: primaryKey))
        lock.unlock()
        guard let row, staleness < 0 || Self.now - row.readAt < staleness else { return nil }
        return row
    }

    /// Enters what was just read or written.
    ///
    /// - Parameter start: when the reading began. A fetch sees the store as it was then: what a save has entered
    ///   meanwhile is newer and stays. `infinity` for what was written.
    /// - Returns: the row to use: the known one where it says the same, so that contexts share it.
    @discardableResult
    func enter(_ row: Row, _ primaryKey: Int64, readSince start: Double) -> Row {
        lock.lock()
        let isWritten = start == .infinity
        let time = isWritten ? Self.now : start
        if isWritten { lastWritten = time }
        if row.cache == nil {
            row.cache = self
            row.primaryKey = primaryKey
            row.readAt = time
        }
        // What is let go is let go after unlocking: its deinit takes the lock.
        var released: Row?
        let old = table.element(row.key)
        if let old, old === row || old.isSame(as: row) {
            old.readAt = max(old.readAt, time)
            lock.unlock()
            return old
        }
        if old.map({ $0.version > row.version && $0.readAt >= start }) ?? (start <= lastWritten) {
            // All that a fetch finds is of one moment, so it keeps its row.
            lock.unlock()
            withExtendedLifetime(old) {}
            return row
        }
        table.set(row)
        if let old {
            old.isSuperseded = true
            released = kept[primaryKey]?.newest
            kept[primaryKey] = Kept(newest: row, replaced: (kept[primaryKey]?.replaced ?? 0) + 1)
        }
        lock.unlock()
        withExtendedLifetime((old, released)) {}
        return row
    }

    /// Forgets a key, whose row is gone.
    func forget(_ primaryKey: Int64) {
        lock.lock()
        lastWritten = Self.now
        if let row = table.element(ObjectKey(space: ObjectIdentifier(Row.self), primaryKey: primaryKey)) {
            table.remove(row)
            let released = kept.removeValue(forKey: primaryKey)
            lock.unlock()
            withExtendedLifetime((row, released)) {}
        } else {
            lock.unlock()
        }
    }

    fileprivate func leave(_ row: Row) {
        lock.lock()
        table.remove(row)
        var released: Kept?
        if row.isSuperseded, let known = kept[row.primaryKey] {
            if known.replaced <= 1 {
                released = kept.removeValue(forKey: row.primaryKey)
            } else {
                kept[row.primaryKey]?.replaced -= 1
            }
        }
        lock.unlock()
        withExtendedLifetime(released) {}
    }

    /// A clock that only runs forward, in seconds.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
