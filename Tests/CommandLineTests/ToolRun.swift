import Foundation
import TestSupport

/// What a run of the tool did.
struct ToolRun {
    let status: Int32
    let output: String
    let error: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    /// The first line of what was written to standard error.
    var firstErrorLine: String { error.split(separator: "\n").first.map(String.init) ?? "" }
}

/// Why the tool can't be run.
struct ToolMissing: Error, CustomStringConvertible {
    let description: String
}

/// Runs the tool that was built with the tests.
///
/// - Parameters:
///   - folder: the folder that relative paths start from.
func runTool(_ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]) throws -> ToolRun {
    let process = Process()
    process.executableURL = try toolURL()
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, error) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    try process.run()
    // One after the other is enough: what goes to standard error is far less than a pipe holds.
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return ToolRun(
        status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
        output: String(decoding: printed, as: UTF8.self), error: String(decoding: complaint, as: UTF8.self))
}

/// The tool: beside the tests, or where a debug build puts it.
func toolURL() throws -> URL {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let folders = [
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        Bundle.main.bundleURL, root.appendingPathComponent(".build/debug"),
    ]
    let candidates = folders.map { $0.appendingPathComponent("coredata") }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
        throw ToolMissing(
            description: "the tool is not built (swift build --product coredata); looked for "
                + candidates.map(\.path).joined(separator: ", "))
    }
    return found
}

extension TemporaryFolder {
    /// The contents of all files, with folders left out.
    func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        return try names.reduce(into: [:]) { result, name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file(name).path, isDirectory: &isFolder)
            if !isFolder.boolValue { result[name] = try Data(contentsOf: file(name)) }
        }
    }
}
