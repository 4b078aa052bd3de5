import Foundation
import Testing

@testable import StartingData

/// A random table, written as delimited text with random quoting.
private struct RandomTable {
    var columns: [String]
    var rows: [[OwnedValue]]
    var text: [UInt8] = []
    /// The offset of each field in the text.
    var offsets: [[Int]] = []

    private static let pieces = [
        "a", "Z9", " ", ",", "\t", ";", "\"", "\"\"", "\n", "\r", "\r\n", "é", "日本語", "😀", "longer text without end",
        "\u{B}", "\u{1}", "'", "\\n", "0.5", "e\u{301}",
    ]

    init(using generator: inout SeededGenerator) {
        columns = (0..<Int.random(in: 1...12, using: &generator)).map { "column \($0)" }
        let width = columns.count
        rows = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            (0..<width).map { _ in Self.cell(mayBeNull: width > 1, using: &generator) }
        }
    }

    private static func cell(mayBeNull: Bool, using generator: inout SeededGenerator) -> OwnedValue {
        if mayBeNull, Int.random(in: 0..<5, using: &generator) == 0 { return .null }
        let count = Int.random(in: 0...6, using: &generator)
        return .text((0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined())
    }

    mutating func write(_ format: DelimitedFormat, using generator: inout SeededGenerator) {
        if Bool.random(using: &generator) { text += [0xEF, 0xBB, 0xBF] }
        let lineBreak = ["\n", "\r\n", "\r"].randomElement(using: &generator) ?? "\n"
        for row in [columns.map { .text($0) }] + rows {
            var starts: [Int] = []
            for (index, cell) in row.enumerated() {
                if index > 0 { text.append(format.delimiter) }
                starts.append(text.count)
                text += written(cell, format, using: &generator).utf8
            }
            offsets.append(starts)
            text += lineBreak.utf8
            if Int.random(in: 0..<8, using: &generator) == 0 { text += lineBreak.utf8 }
        }
        offsets.removeFirst()
        while Bool.random(using: &generator), text.last == 10 || text.last == 13 { text.removeLast() }
    }

    private func written(
        _ cell: OwnedValue, _ format: DelimitedFormat, using generator: inout SeededGenerator
    ) -> String {
        guard case .text(let text) = cell else { return "" }
        let special = [format.delimiter, 10, 13]
        let mustQuote = text.isEmpty || text.hasPrefix("\"") || text.utf8.contains { special.contains($0) }
        guard mustQuote || Bool.random(using: &generator) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
    }

    /// The place of an offset, counted in the plainest way.
    func place(of offset: Int, in name: String) -> String {
        var prefix = String(decoding: text[..<offset], as: UTF8.self).unicodeScalars[...]
        if prefix.first == "\u{FEFF}" { prefix.removeFirst() }
        var lines: [Int] = [0]
        var previous: Unicode.Scalar?
        for scalar in prefix {
            if scalar == "\r" || scalar == "\n" {
                if !(scalar == "\n" && previous == "\r") { lines.append(0) }
            } else {
                lines[lines.count - 1] += 1
            }
            previous = scalar
        }
        return "\(name):\(lines.count):\((lines.last ?? 0) + 1)"
    }
}

@Suite("Round trips of delimited text")
struct DelimitedRoundTripTests {
    @Test("A random table written with random quoting is read back equal, with the right places")
    func roundTrip() throws {
        var generator = SeededGenerator("round trip of delimited text")
        for round in 0..<300 {
            let format: DelimitedFormat = Bool.random(using: &generator) ? .csv : .tsv
            var table = RandomTable(using: &generator)
            table.write(format, using: &generator)
            let comment: Comment = "seed \(generator.seed), round \(round)"
            let reader = try openReader(Data(table.text), name: "x", format: .delimited(format))
            #expect(reader.columns == table.columns, comment)
            var row = 0
            while try reader.next() {
                try #require(row < table.rows.count, comment)
                #expect((0..<reader.count).map { reader.value(at: $0).owned } == table.rows[row], comment)
                for index in (0..<reader.count).shuffled(using: &generator).prefix(3) {
                    let place = table.place(of: table.offsets[row][index], in: "x")
                    #expect(reader.position(ofFieldAt: index).description == place, comment)
                }
                row += 1
            }
            #expect(row == table.rows.count, comment)
        }
    }

    @Test("A file that ends anywhere near the end of a page is read to its last byte", arguments: 4085...4105)
    func pageEnd(size: Int) throws {
        for lastField in ["", "x", "\"x\"", "é", "a longer field"] {
            let filler = String(repeating: "y", count: size - 8 - lastField.utf8.count)
            let found = try rows("x.csv", "a,b\n1,2" + "\n" + filler + "," + lastField)
            let last: OwnedValue = lastField.isEmpty ? .null : .text(lastField.replacingOccurrences(of: "\"", with: ""))
            #expect(found.last == [.text(filler), last])
        }
    }
}
