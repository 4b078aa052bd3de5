import Foundation

/// The paths of fields (`name`, `country.isoCode`) that have occurred in a source whose records name their fields.
///
/// Records of one source name their fields in much the same order: which path followed which is remembered, so that
/// most paths are found by one comparison of bytes.
struct FieldPaths: ~Copyable {
    private struct Path {
        var start: Int
        var length: Int
        /// The index in `columns`, -1 as long as the path has only led to objects.
        var column = -1
        /// The record in which the path occurred last.
        var lastRecord = 0
        /// The path that came next the last time, -1 if none did.
        var follower = -1
    }

    /// How many bytes a path may be long: nesting would let a small file make endless ones.
    static let lengthLimit = 4096

    /// The paths that have led to values.
    private(set) var columns: [String] = []
    private var paths: [Path] = []
    private var text = ByteBuffer()
    private var indexByName: [String: Int] = [:]
    private var first = -1

    init() {}

    /// The index of a path that occurs after another one in the current record; `previous` is -1 for the first.
    mutating func index(of name: UnsafeRawBufferPointer, after previous: Int) -> Int {
        let guess = previous < 0 ? first : paths[previous].follower
        if guess >= 0, matches(name, guess) { return guess }
        let string = String(decoding: name, as: UTF8.self)
        let index = indexByName[string] ?? add(string, name)
        if previous < 0 { first = index } else { paths[previous].follower = index }
        return index
    }

    /// Notes that a path occurs in a record; false if it has occurred in it already.
    mutating func mark(_ index: Int, in record: Int) -> Bool {
        guard paths[index].lastRecord != record else { return false }
        paths[index].lastRecord = record
        return true
    }

    /// The column of a path that leads to a value.
    mutating func column(of index: Int) -> Int {
        let column = paths[index].column
        if column >= 0 { return column }
        columns.append(name(of: index))
        paths[index].column = columns.count - 1
        return columns.count - 1
    }

    private func name(of index: Int) -> String {
        let path = paths[index]
        return String(decoding: text.bytes[path.start..<(path.start + path.length)], as: UTF8.self)
    }

    @inline(__always)
    private func matches(_ name: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        let path = paths[index]
        guard path.length == name.count, let given = name.baseAddress, let known = text.bytes.baseAddress else {
            return false
        }
        return memcmp(given, known + path.start, path.length) == 0
    }

    private mutating func add(_ string: String, _ name: UnsafeRawBufferPointer) -> Int {
        let start = text.count
        if let bytes = name.baseAddress { text.append(bytes, name.count) }
        paths.append(Path(start: start, length: name.count))
        indexByName[string] = paths.count - 1
        return paths.count - 1
    }
}
