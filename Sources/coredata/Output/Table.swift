/// Rows in columns beneath each other.
struct Table {
    /// A column: its title, and whether its cells are numbers.
    struct Column {
        /// The title.
        var title: String
        /// Whether the cells stand at the right.
        var isNumeric = false
    }

    /// The columns.
    let columns: [Column]
    /// The width of each column.
    private var widths: [Int]

    /// A table whose columns are as wide as the titles and `sample` need; `width` is the most that all may take.
    init(_ columns: [Column], sample: [[String]], width: Int? = nil) {
        self.columns = columns
        widths = columns.map { $0.title.displayWidth }
        for row in sample {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.displayWidth) }
        }
        limit = width
        if let width { shrink(to: width) }
    }

    /// The most columns of a terminal that a line may take; then cells are cut to the width of their column.
    private let limit: Int?
    private static let gap = "  "

    /// Takes width from the widest columns until all fit.
    private mutating func shrink(to width: Int) {
        let available = width - Self.gap.count * (columns.count - 1)
        var limit = widths.max() ?? 0
        while limit > 4, widths.reduce(0, { $0 + min($1, limit) }) > available { limit -= 1 }
        widths = widths.map { min($0, limit) }
    }

    /// The titles and a line beneath them.
    var header: [String] {
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: Self.gap)
        return [line(columns.map(\.title)), limit.map(rule.cut) ?? rule]
    }

    /// A row.
    func line(_ cells: [String]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { text += Self.gap }
            let shown = limit == nil ? cell : cell.cut(to: widths[index])
            text += shown.padded(to: widths[index], onLeft: columns[index].isNumeric)
        }
        // No spaces at the end of a line.
        while text.last == " " { text.removeLast() }
        return limit.map(text.cut) ?? text
    }
}
