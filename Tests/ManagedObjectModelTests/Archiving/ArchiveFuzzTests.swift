import FoundationSupplement
import Testing

@testable import ManagedObjectModel

/// Damaged archives give an error or a model, whatever the damage. The seed of a failed run is in its message.
struct ArchiveFuzzTests {
    /// A small generator whose every run can be repeated (SplitMix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// A debug build takes a hundredth of a second for each.
    private static let rounds = ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap { Int($0) } ?? 100

    private static func seed(_ name: String) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["FUZZ_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...999_999)
        print("\(name): FUZZ_SEED=\(seed)")
        return seed
    }

    /// Reads, and uses what was read as stores do.
    private func expectErrorOrModel(_ data: Data, _ place: String) {
        do {
            let model = try ModelArchiveReader.read(data, path: "damaged.mom")
            _ = model.entityVersionHashesByName
            for form in [ModelArchiveWriter.Form.compiled, .cache] { _ = ModelArchiveWriter.archive(model, form: form) }
        } catch {
            #expect(error is ModelFileError, "\(place): \(error)")
        }
    }

    @Test(arguments: [ModelArchiveWriter.Form.compiled, .cache])
    func survivesDamagedBytes(_ form: ModelArchiveWriter.Form) {
        let seed = Self.seed("bytes, \(form)")
        var generator = Generator(state: seed)
        let original = Array(ModelArchiveWriter.archive(SampleModel.make(), form: form))
        for round in 0..<Self.rounds {
            var bytes = original
            switch generator.next() % 4 {
            case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            case 1: bytes.removeSubrange(0..<Int.random(in: 1..<bytes.count, using: &generator))
            default:
                for _ in 0...Int.random(in: 0..<8, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            expectErrorOrModel(Data(bytes), "seed \(seed), round \(round)")
        }
    }

    /// Damage that leaves the property list whole reaches deeper: references to other objects, other values and kinds.
    @Test(arguments: [ModelArchiveWriter.Form.compiled, .cache])
    func survivesDamagedObjects(_ form: ModelArchiveWriter.Form) throws {
        let seed = Self.seed("objects, \(form)")
        var generator = Generator(state: seed)
        let archive = ModelArchiveWriter.archive(SampleModel.make(), form: form)
        guard let fields = try BinaryPropertyList.read(archive).dictionary, let objects = fields["$objects"]?.array
        else {
            Issue.record("the archive has no objects")
            return
        }
        for round in 0..<Self.rounds {
            var damaged = objects
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                let index = Int.random(in: 1..<objects.count, using: &generator)
                damaged[index] = Self.damage(damaged[index], among: objects.count, &generator)
            }
            let list = fields.merging(["$objects": .array(damaged)]) { $1 }
            expectErrorOrModel(BinaryPropertyList.write(.dictionary(list)), "seed \(seed), round \(round)")
        }
    }

    private static func damage(
        _ value: PropertyListValue, among count: Int, _ generator: inout Generator
    ) -> PropertyListValue {
        let isWhole = Int.random(in: 0..<5, using: &generator) == 0
        switch value {
        case .dictionary(var fields) where !isWhole:
            guard let key = fields.keys.sorted().randomElement(using: &generator), let old = fields[key] else { break }
            fields[key] = generator.next() % 6 == 0 ? nil : damage(old, among: count, &generator)
            return .dictionary(fields)
        case .array(var elements) where !isWhole && !elements.isEmpty:
            let index = Int.random(in: 0..<elements.count, using: &generator)
            elements[index] = damage(elements[index], among: count, &generator)
            return .array(elements)
        case .uid where !isWhole: return .uid(Int.random(in: 0...count, using: &generator))
        default: break
        }
        let values: [PropertyListValue] = [
            .null, .boolean(true), .integer(-1), .integer(.max), .integer(.min), .integer(7), .real(.nan),
            .real(.infinity), .date(1e300), .data([]), .data([UInt8](repeating: 0xff, count: 16)), .string(""),
            .string("NSDictionary"), .string("name.@count"), .uid(1), .array([]), .array([.uid(1)]), .dictionary([:]),
            .uid(Int.random(in: 0...count, using: &generator)),
        ]
        return values.randomElement(using: &generator) ?? .null
    }
}
