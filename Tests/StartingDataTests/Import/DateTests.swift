import Foundation
import Testing

@testable import StartingData

private func date(_ text: String) -> Double? {
    Array(text.utf8).withUnsafeBytes { TextValue.date($0) }
}

@Suite("Dates in text")
struct DateTests {
    @Test("are the moments that Foundation's ISO 8601 formatter reads, from a new seed each run")
    func property() throws {
        var random = SeededGenerator("dates")
        let formatter = ISO8601DateFormatter()
        for _ in 0..<3000 {
            let year = Int.random(in: 1...9999, using: &random)
            let parts = [
                Int.random(in: 1...12, using: &random), Int.random(in: 1...31, using: &random),
                Int.random(in: 0...23, using: &random),
                Int.random(in: 0...59, using: &random), Int.random(in: 0...59, using: &random),
            ].map { $0 < 10 ? "0\($0)" : "\($0)" }
            let zone = ["Z", "+00:00", "-03:30", "+05:45", "+14:00", "-12:00"].randomElement(using: &random) ?? "Z"
            let text =
                "\(String(format: "%04d", year))-\(parts[0])-\(parts[1])T\(parts[2]):\(parts[3]):\(parts[4])\(zone)"
            let (month, day) = (Int(parts[0]) ?? 0, Int(parts[1]) ?? 0)
            // The formatter may be lenient about days that don't exist, as those that the new calendar left out.
            let isLeftOut = year == 1582 && month == 10 && (5...14).contains(day)
            let isDay = day <= Self.days(month, year) && !isLeftOut
            #expect(date(text) == (isDay ? formatter.date(from: text)?.timeIntervalSinceReferenceDate : nil), "\(text)")
        }
    }

    private static func days(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0 || year < 1582)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    @Test(
        "mean this many seconds since 2001",
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01T00:00", 0), ("2001-01-01 00:00:01", 1),
            ("2000-12-31T23:59:59Z", -1),
            ("2001-01-01T01:00:00+01:00", 0), ("2001-01-01T01:00:00+0100", 0), ("2001-01-01T01:00:00+01", 0),
            ("2000-12-31T20:30:00-03:30", 0), ("2001-01-01t00:00:00z", 0), ("1970-01-01", -978_307_200),
            ("2000-02-29", -26_524_800),
            ("2004-02-29T12:00:00Z", 99_748_800), ("2001-01-01T00:00:00.123Z", 0.123), ("2001-01-01T00:00:00.1", 0.1),
            ("2001-01-01T00:00:00,5Z", 0.5), ("2001-01-01T00:00:00.000001Z", 0.000001),
            ("0001-01-01T00:00:00Z", -63_114_076_800),
            ("9999-12-31T23:59:59Z", 252_423_993_599), ("2016-12-31T23:59:60Z", 504_921_600),
            ("2001-01-01 00:00:00 +0000", 0),
        ] as [(String, Double)])
    func moments(_ text: String, _ seconds: Double) {
        #expect(date(text) == seconds)
    }

    @Test("may have any number of digits in a fraction")
    func longFraction() {
        #expect(date("2001-01-01T00:00:00.12345678901234567890123456789012345Z") == 0.123456789012345)
    }

    @Test(
        "that do not exist or are cut off are none",
        arguments: [
            "", "2001", "2001-1-1", "2001-13-01", "2001-00-10", "2001-01-00", "2001-04-31", "1900-02-29", "2100-02-29",
            "2001-02-29",
            "2001-01-01T", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z",
            "2001-01-01T00:00:00.Z",
            "2001-01-01T00:00:00+", "2001-01-01T00:00:00+1", "2001-01-01T00:00:00+19:00", "2001-01-01T00:00:00+01:60",
            "2001-01-01T00:00:00+01:", "2001-01-01T00:00:00+01:0", "2001-01-01T00:00:00ZZ", "2001-01-01X00:00:00",
            "0000-01-01", "0000-12-31",
            "20010101", "-2001-01-01", "2001-01-01 ", " 2001-01-01", "٢٠٠١-01-01",
        ])
    func invalid(_ text: String) {
        #expect(date(text) == nil)
    }
}
