/// Where a row came from. Origins compare in the order of reading.
struct RowOrigin: Comparable {
    /// The number of the file, in the order of reading.
    let file: Int
    /// The reader's mark for the record.
    let mark: Int

    static func < (first: RowOrigin, second: RowOrigin) -> Bool {
        (first.file, first.mark) < (second.file, second.mark)
    }
}

/// Where the new rows of a table came from, in eight bytes a row.
struct RowOrigins {
    /// The primary key of the first new row.
    let firstKey: Int64
    private var packed: [UInt64] = []

    init(firstKey: Int64) { self.firstKey = firstKey }

    /// Notes the origin of a row; keys come in any order, but without large gaps.
    mutating func note(_ primaryKey: Int64, _ origin: RowOrigin) {
        let index = Int(primaryKey - firstKey)
        while packed.count <= index { packed.append(0) }
        packed[index] = UInt64(origin.file + 1) << 44 | UInt64(origin.mark)
    }

    /// The origin of a row; nil for one that the store had before.
    subscript(_ primaryKey: Int64) -> RowOrigin? {
        let index = Int(primaryKey - firstKey)
        guard packed.indices.contains(index), packed[index] != 0 else { return nil }
        return RowOrigin(file: Int(packed[index] >> 44) - 1, mark: Int(packed[index] & 0xfff_ffff_ffff))
    }
}
