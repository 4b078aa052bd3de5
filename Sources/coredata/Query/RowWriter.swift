import CoreData

/// How the rows of a query are written.
enum QueryFormat: String, CaseIterable {
    case table, json, tsv, csv

    /// A writer for this format.
    func writer(_ columns: [QueryColumn], _ output: BufferedOutput) -> any RowWriter {
        switch self {
        case .table: TableWriter(columns, output)
        case .json: JSONRowWriter(columns, output)
        case .tsv: DelimitedWriter(columns, output, delimiter: "\t")
        case .csv: DelimitedWriter(columns, output, delimiter: ",")
        }
    }
}

/// Writes rows as they come.
protocol RowWriter {
    /// Writes a row, now or later.
    mutating func write(_ row: [Cell]) throws
    /// Writes what is left.
    mutating func finish() throws
}

/// CSV and TSV with the quotes of RFC 4180, as `coredata import` reads them: nil is an empty field, empty text `""`.
struct DelimitedWriter: RowWriter {
    private let output: BufferedOutput
    private let delimiter: String
    private let special: Set<UInt8>
    private var header: [String]?

    init(_ columns: [QueryColumn], _ output: BufferedOutput, delimiter: String) {
        self.output = output
        self.delimiter = delimiter
        special = Set("\"\r\n".utf8).union(delimiter.utf8)
        header = columns.map(\.name)
    }

    mutating func write(_ row: [Cell]) throws {
        try writeHeader()
        for (index, cell) in row.enumerated() {
            if index > 0 { try output.write(delimiter) }
            try output.write(field(cell))
        }
        try output.write("\n")
    }

    mutating func finish() throws { try writeHeader() }

    private mutating func writeHeader() throws {
        guard let names = header else { return }
        header = nil
        try output.line(names.joined(separator: delimiter))
    }

    private func field(_ cell: Cell) -> String {
        guard cell.kind == .text, cell.text.isEmpty || cell.text.utf8.contains(where: special.contains) else {
            return cell.text
        }
        return "\"" + cell.text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}

/// An array of objects, one a line, whose keys are in the order of the columns.
struct JSONRowWriter: RowWriter {
    private let output: BufferedOutput
    private let keys: [String]
    private var isFirst = true

    init(_ columns: [QueryColumn], _ output: BufferedOutput) {
        self.output = output
        keys = columns.map { JSON.quoted($0.name) + ": " }
    }

    mutating func write(_ row: [Cell]) throws {
        try output.write(isFirst ? "[\n  {" : ",\n  {")
        isFirst = false
        for (index, cell) in row.enumerated() {
            if index > 0 { try output.write(", ") }
            try output.write(keys[index])
            try output.write(cell.json)
        }
        try output.write("}")
    }

    mutating func finish() throws { try output.write(isFirst ? "[]\n" : "\n]\n") }
}

/// A table whose widths follow from its first rows; on a terminal it is cut to the terminal's width.
struct TableWriter: RowWriter {
    private let output: BufferedOutput
    private let columns: [Table.Column]
    private var table: Table?
    private var sample: [[String]] = []
    private static let sampleSize = 5000

    init(_ columns: [QueryColumn], _ output: BufferedOutput) {
        self.output = output
        self.columns = columns.map { Table.Column(title: $0.name, isNumeric: $0.isNumeric) }
    }

    mutating func write(_ row: [Cell]) throws {
        let cells = row.map(\.shown)
        if let table { return try output.line(table.line(cells)) }
        sample.append(cells)
        if sample.count == Self.sampleSize { try writeSample() }
    }

    mutating func finish() throws { if table == nil { try writeSample() } }

    private mutating func writeSample() throws {
        let table = Table(columns, sample: sample, width: Terminal.width(STDOUT_FILENO))
        for line in table.header + sample.map(table.line) { try output.line(line) }
        self.table = table
        sample = []
    }
}
