import CoreData
import TestSupport

/// A bundle with two versions of a model, `App.xcdatamodeld`, whose second is the current one.
final class ModelVersions {
    let folder: TemporaryFolder

    init(_ first: String, _ second: String) throws {
        folder = try TemporaryFolder()
        try folder.write(Self.xml(first), to: "App.xcdatamodeld/V1.xcdatamodel/contents")
        try folder.write(Self.xml(second), to: "App.xcdatamodeld/V2.xcdatamodel/contents")
        let pointer = ["_XCCurrentVersionName": "V2.xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: pointer, format: .xml, options: 0)
            .write(to: folder.file("App.xcdatamodeld/.xccurrentversion"))
    }

    static let first = "App.xcdatamodeld/V1.xcdatamodel"
    static let second = "App.xcdatamodeld/V2.xcdatamodel"

    static func xml(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
        \(body)
        </model>
        """
    }

    /// Runs `coredata model …` in the folder.
    func run(_ arguments: String...) throws -> ToolRun { try runTool(["model"] + arguments, in: folder.url) }

    /// Runs `coredata model …` in the folder, with a JSON object as its output.
    func json(_ arguments: String...) throws -> (status: Int32, object: [String: Any]) {
        let run = try runTool(["model"] + arguments + ["--json"], in: folder.url)
        return (run.status, try parseObject(run.output))
    }
}

/// The JSON object that a command printed.
func parseObject(_ text: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
        throw ProgramMissing(description: "the output is no JSON object: \(text)")
    }
    return object
}
