// Loads models, or makes large ones to load.
//
//     ModelBenchmark generate FOLDER VERSIONS ENTITIES    a bundle FOLDER/Chain.xcdatamodeld
//     ModelBenchmark load ROUNDS MODEL…                   the median of ROUNDS for each, one line of JSON for all
import CoreData

func generate(_ folder: URL, versions: Int, entities: Int) throws {
    let bundle = folder.appendingPathComponent("Chain.xcdatamodeld")
    for version in 1...versions {
        let place = bundle.appendingPathComponent("Chain \(version).xcdatamodel")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(text(version: version, entities: entities).utf8).write(to: place.appendingPathComponent("contents"))
    }
    let pointer = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Chain \(versions).xcdatamodel</string></dict></plist>
        """
    try Data(pointer.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
}

/// A version with entities of ten attributes of all common types and two relationships; each adds an attribute to one.
func text(version: Int, entities: Int) -> String {
    var lines = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>",
        "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\" lastSavedToolsVersion=\"22758\""
            + " systemVersion=\"23F79\" minimumToolsVersion=\"Automatic\" sourceLanguage=\"Swift\""
            + " userDefinedModelVersionIdentifier=\"\(version)\">",
    ]
    let types = ["String", "Integer 64", "Integer 16", "Double", "Boolean", "Date", "Binary", "Decimal", "UUID", "URI"]
    let zeros = ["Integer 64": "0", "Integer 16": "0", "Double": "0.0", "Boolean": "NO", "Decimal": "0.0"]
    for entity in 0..<entities {
        lines.append("    <entity name=\"Entity\(entity)\" representedClassName=\"Entity\(entity)\" syncable=\"YES\">")
        let extra = entity == version % entities ? 1 : 0
        for index in 0..<(types.count + extra) {
            let type = types[index % types.count]
            let zero = zeros[type].map { " defaultValueString=\"\($0)\" usesScalarValueType=\"YES\"" } ?? ""
            lines.append(
                "        <attribute name=\"value\(index)\" optional=\"YES\" attributeType=\"\(type)\"\(zero)/>")
        }
        let (next, last) = ((entity + 1) % entities, (entity + entities - 1) % entities)
        lines.append(
            "        <relationship name=\"next\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\""
                + " destinationEntity=\"Entity\(next)\" inverseName=\"previous\" inverseEntity=\"Entity\(next)\"/>")
        lines.append(
            "        <relationship name=\"previous\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Cascade\""
                + " destinationEntity=\"Entity\(last)\" inverseName=\"next\" inverseEntity=\"Entity\(last)\"/>")
        lines.append("    </entity>")
    }
    return (lines + ["</model>"]).joined(separator: "\n")
}

/// The time that a piece of work took, and the processor time of it, which no neighbour disturbs; in milliseconds.
struct Duration {
    var wall: Double
    var processor: Double

    init?(of work: () -> Bool) {
        let (start, used) = (ContinuousClock.now, Self.processorTime)
        guard work() else { return nil }
        wall = (ContinuousClock.now - start) / .milliseconds(1)
        processor = Self.processorTime - used
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

func load(_ paths: [String], rounds: Int) {
    var medians: [(path: String, wall: Double, processor: Double)] = []
    for path in paths {
        let url = URL(fileURLWithPath: path)
        let times = (0..<rounds).compactMap { _ in Duration { NSManagedObjectModel(contentsOf: url) != nil } }
        guard times.count == rounds else {
            FileHandle.standardError.write(Data("\(path) is not a model\n".utf8))
            exit(1)
        }
        medians.append((path, times.map(\.wall).sorted()[rounds / 2], times.map(\.processor).sorted()[rounds / 2]))
    }
    medians.sort { $0.processor < $1.processor }
    guard let worst = medians.last else { return }
    let median = medians[medians.count / 2]
    let name = worst.path.split(separator: "/").suffix(2).joined(separator: "/")
    let text = { (wall: Double, processor: Double) in "\(format(wall)) ms (\(format(processor)) of the processor)" }
    if medians.count == 1 { return print(text(worst.wall, worst.processor)) }
    print(
        "\(medians.count) models: median \(text(median.wall, median.processor)), worst \(text(worst.wall, worst.processor)): \(name)"
    )
}

func format(_ number: Double) -> String { String(format: "%.2f", number) }

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "generate" where arguments.count == 5:
    guard let versions = Int(arguments[3]), let entities = Int(arguments[4]), versions > 0, entities > 1 else {
        exit(64)
    }
    try generate(URL(fileURLWithPath: arguments[2]), versions: versions, entities: entities)
case "load" where arguments.count > 3:
    guard let rounds = Int(arguments[2]), rounds > 0 else { exit(64) }
    load(Array(arguments.dropFirst(3)), rounds: rounds)
default:
    FileHandle.standardError.write(
        Data("usage: ModelBenchmark generate FOLDER VERSIONS ENTITIES | load ROUNDS MODEL…\n".utf8))
    exit(64)
}
