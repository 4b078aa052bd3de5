import Foundation
import TestSupport

typealias ToolRun = ProgramRun

/// Runs the tool that was built with the tests.
///
/// - Parameters:
///   - folder: the folder that relative paths start from.
func runTool(_ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]) throws -> ToolRun {
    try runProgram("coredata", arguments, in: folder, environment: environment)
}

/// Where the tool is.
func toolURL() throws -> URL { try programURL("coredata") }

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
