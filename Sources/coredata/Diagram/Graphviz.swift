import CoreData
import Dispatch

/// Graphviz's `dot`, a program of its own, which lays pictures out.
enum Graphviz {
    /// What `dot` makes of a picture's text.
    ///
    /// - Parameter arguments: such as `-Tsvg`.
    /// - Throws: `InputError` where there is no `dot`; `GraphvizError` where it fails.
    static func draw(_ text: String, _ arguments: [String]) throws -> Data {
        let result = try run(program(), arguments, input: Data(text.utf8))
        let complaints = result.complaints.split(whereSeparator: \.isNewline).map(String.init)
        guard result.status == 0, !result.output.isEmpty else {
            throw GraphvizError(complaint: complaints.first ?? "it ended with status \(result.status) and said nothing")
        }
        for complaint in complaints { writeToStandardError("dot: \(singleLine(complaint))") }
        return result.output
    }

    /// The program, from one of the folders of `PATH`.
    private static func program() throws -> URL {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        let candidates = folders.map { "\($0)/dot" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw InputError(
                message: "There is no program 'dot', which lays pictures out. Install Graphviz (apt-get install "
                    + "graphviz), or ask for '--format dot' or '--format mermaid', which need no program",
                status: .noInput)
        }
        return URL(fileURLWithPath: found)
    }

    /// Runs a program without a shell. Its three pipes are served at the same time: with one after the other, a full
    /// one would stop both sides.
    private static func run(
        _ program: URL, _ arguments: [String], input: Data
    ) throws -> (status: Int32, output: Data, complaints: String) {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardError
        try process.run()
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            // A program that ends early reads no further; its status says that it did.
            try? standardInput.fileHandleForWriting.write(contentsOf: input)
            try? standardInput.fileHandleForWriting.close()
        }
        nonisolated(unsafe) var complaints = Data()
        DispatchQueue.global().async(group: group) {
            complaints = standardError.fileHandleForReading.readDataToEndOfFile()
        }
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        group.wait()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return (status, output, String(decoding: complaints, as: UTF8.self))
    }
}

/// Graphviz couldn't draw what we asked for.
struct GraphvizError: LocalizedError {
    /// What it said.
    let complaint: String

    var errorDescription: String? { "Graphviz's 'dot' failed: \(complaint)" }
}
