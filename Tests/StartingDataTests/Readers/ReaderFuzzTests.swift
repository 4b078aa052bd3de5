import Foundation
import Testing

@testable import StartingData

/// Sound samples of each format, from which broken ones are made.
private let textSamples: [(SourceFormat, String)] = [
    (.delimited(.csv), "a,b,c\n1,\"two, \"\"2\"\"\n\",é\r\n,\"\",日本語 longer text\n\n7,8,9"),
    (.delimited(.tsv), "a\tb\tc\n1\t\"two\t2\"\té\r\n\t\"\"\t日本語\n"),
    (.delimited(.unquotedTSV), "a\tb\n\"1\t2\n\"\"\t\"\n"),
    (.json, #"[{"a": "x\u00e9\ud83d\ude00", "b": {"c": -1.5e+10, "d": null}, "e": [1, {"k": [true]}, "é"]}, {}]"#),
    (.json, #"{"A": [{"a": "some longer text"}], "B": [], "C": [{"a": {}, "b": false}]}"#),
    (.ndjson, "{\"a\": 1, \"b\": \"日本\"}\n\n{\"a\": [1, 2, {}], \"c\": {\"d\": \"\\n\"}}\r\n{}"),
    (
        .propertyList,
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><array><dict><key>a</key><integer>1</integer><key>b</key>"
            + "<dict><key>c</key><string>é</string></dict><key>d</key><array><true/><real>1.5</real></array>"
            + "<key>e</key><date>2020-01-01T00:00:00Z</date><key>f</key><data>AQI=</data></dict></array></plist>"
    ),
]

/// The samples as bytes, and one in binary form.
private let samples: [(format: SourceFormat, bytes: [UInt8])] = {
    let record: [String: Any] = [
        "a": 1, "b": ["c": "é"], "d": [true, 1.5] as [Any], "e": Date(timeIntervalSinceReferenceDate: 0),
        "f": Data([1]),
    ]
    let list = try? PropertyListSerialization.data(fromPropertyList: [record, ["a": "x"]], format: .binary, options: 0)
    return textSamples.map { ($0.0, Array($0.1.utf8)) } + [(.propertyList, Array(list ?? Data()))]
}()

/// Bytes that mean something in one of the formats.
private let tellingBytes =
    Array("\"\\,\t\n\r{}[]:0-.eEu/<>&".utf8) + [0, 0x1F, 0x7F, 0x80, 0xBF, 0xC3, 0xE0, 0xED, 0xF4, 0xFF]

private func mutate(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        let other = Int.random(in: index...bytes.count, using: &generator)
        let byte = tellingBytes.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[index] = byte
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.insert(byte, at: index)
        case 3: bytes.remove(at: index)
        case 4: bytes.removeSubrange(index..<min(other, index + 8))
        case 5: bytes.insert(contentsOf: bytes[index..<min(other, index + 40)], at: index)
        default: bytes.removeLast(bytes.count - index)
        }
    }
    return bytes
}

/// Reads everything there is to read, over faults that can be skipped; the number of calls of `next()`.
@discardableResult
private func exhaust(_ bytes: [UInt8], _ format: SourceFormat) -> (steps: Int, faults: Int) {
    var (steps, faults) = (0, 0)
    do {
        let reader = try openReader(Data(bytes), name: "x", format: format)
        var more = true
        while more && steps < 10_000 {
            steps += 1
            do {
                more = try reader.next()
            } catch {
                faults += 1
                _ = "\(error)"
            }
            for index in 0..<reader.count {
                _ = reader.value(at: index).owned
                _ = reader.columns[reader.column(at: index)]
                _ = reader.position(ofFieldAt: index)
            }
            _ = reader.recordPosition
        }
    } catch {
        faults += 1
    }
    return (steps, faults)
}

@Suite("Broken sources")
struct ReaderFuzzTests {
    @Test("A broken file of any format is read or refused, and reading comes to an end")
    func mutations() throws {
        var generator = SeededGenerator("mutated sources")
        for round in 0..<3000 {
            guard let sample = samples.randomElement(using: &generator) else { break }
            let bytes = mutate(sample.bytes, using: &generator)
            #expect(exhaust(bytes, sample.format).steps < 10_000, "seed \(generator.seed), round \(round)")
        }
    }

    @Test("Random bytes are read or refused by every reader")
    func randomBytes() throws {
        var generator = SeededGenerator("random bytes")
        for round in 0..<1000 {
            let isTelling = Bool.random(using: &generator)
            let bytes = (0..<Int.random(in: 1...60, using: &generator)).map { _ -> UInt8 in
                let any = UInt8.random(in: 0...255, using: &generator)
                return isTelling ? tellingBytes.randomElement(using: &generator) ?? any : any
            }
            for (format, _) in samples {
                #expect(exhaust(bytes, format).steps < 10_000, "seed \(generator.seed), round \(round)")
            }
        }
    }

    @Test("Every beginning of a sound file is read or refused")
    func prefixes() {
        for (format, bytes) in samples {
            for count in 0...bytes.count { exhaust(Array(bytes[..<count]), format) }
            #expect(exhaust(bytes, format).faults == 0)
        }
    }

    @Test("Whatever JSON is accepted, Foundation accepts too")
    func jsonIsStrict() {
        var generator = SeededGenerator("strictness of JSON")
        let sources = samples.filter { $0.format == .json }.map(\.bytes)
        for round in 0..<3000 {
            guard let source = sources.randomElement(using: &generator) else { break }
            let bytes = mutate(source, using: &generator)
            guard !bytes.isEmpty, exhaust(bytes, .json).faults == 0 else { continue }
            do {
                _ = try JSONSerialization.jsonObject(with: Data(bytes))
            } catch {
                // A number that is too large for Foundation is JSON all the same.
                let reason = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(reason.contains("not representable"), "seed \(generator.seed), round \(round): \(text)")
            }
        }
    }

    @Test("What Foundation writes as JSON is read back equal")
    func jsonRoundTrip() throws {
        var generator = SeededGenerator("round trip of JSON")
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\n", "\u{1}", "\u{7F}", "é", "日", "😀", "\u{2028}", " ", "\0",
        ]
        for round in 0..<200 {
            let rows = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                (0..<Int.random(in: 0...6, using: &generator)).map { column -> (String, String) in
                    var text = String.UnicodeScalarView()
                    for _ in 0..<Int.random(in: 0...20, using: &generator) {
                        text.append(scalars.randomElement(using: &generator) ?? "x")
                    }
                    return ("k\(column)\"é", String(text))
                }
            }
            let objects = rows.map { Dictionary(uniqueKeysWithValues: $0) }
            let options: JSONSerialization.WritingOptions = Bool.random(using: &generator) ? .prettyPrinted : []
            let data = try JSONSerialization.data(withJSONObject: objects, options: options.union(.sortedKeys))
            let found = try openReader(data, name: "x", format: .json).remainingRecords()
            let expected = rows.map { ReadRecord(fields: $0.map { OwnedField(key: $0.0, value: .text($0.1)) }) }
            #expect(found == expected, "seed \(generator.seed), round \(round)")
        }
    }
}
