import Foundation

/// What a run of a program did.
public struct ProgramRun: Sendable {
    /// The exit status; negative the signal that ended the program.
    public let status: Int32
    /// What it wrote to standard output.
    public let output: String
    /// What it wrote to standard error.
    public let error: String

    /// The lines of the output.
    public var lines: [String] {
        output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    /// The first line of what was written to standard error.
    public var firstErrorLine: String { error.split(separator: "\n").first.map(String.init) ?? "" }
}

/// Why a program can't be run.
public struct ProgramMissing: Error, CustomStringConvertible {
    /// What is missing.
    public let description: String
    /// Names what is missing.
    public init(description: String) { self.description = description }
}

/// Runs a program of the package that was built with the tests.
///
/// - Parameters:
///   - folder: the folder that relative paths start from.
///   - standardInput: what the program reads; this program's own input unless given.
public func runProgram(
    _ name: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:],
    standardInput: FileHandle? = nil
) throws -> ProgramRun {
    let process = Process()
    process.executableURL = try programURL(name)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let standardInput { process.standardInput = standardInput }
    let (output, error) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    try process.run()
    // One after the other is enough: what goes to standard error is far less than a pipe holds.
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return ProgramRun(
        status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
        output: String(decoding: printed, as: UTF8.self), error: String(decoding: complaint, as: UTF8.self))
}

/// A program of the package: beside the tests, or where a debug build puts it.
public func programURL(_ name: String) throws -> URL {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let folders = [
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        Bundle.main.bundleURL, root.appendingPathComponent(".build/debug"),
    ]
    let candidates = folders.map { $0.appendingPathComponent(name) }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
        throw ProgramMissing(
            description: "\(name) is not built (swift build --product \(name)); looked for "
                + candidates.map(\.path).joined(separator: ", "))
    }
    return found
}
