import Foundation

@testable import ManagedObjectModel

/// Everything that a `contents` file says, as lines in the file's order: elements with their attributes, these by name.
/// Left out is the editor's diagram.
enum XMLFacts {
    static func lines(_ data: Data, path: String) throws -> [String] {
        var lines: [String] = []
        add(try XMLTree.parse(data, path: path), indent: "", to: &lines)
        return lines
    }

    private static func add(_ element: XMLTree, indent: String, to lines: inout [String]) {
        guard element.name != "elements" else { return }
        let attributes = element.attributes.sorted { $0.key < $1.key }.map { " \($0.key)='\($0.value)'" }
        lines.append("\(indent)\(element.name)\(attributes.joined())")
        for child in element.children { add(child, indent: indent + "  ", to: &lines) }
    }

    /// The file's text without the diagram and without line breaks at its end.
    static func text(_ data: Data) -> String {
        var text = String(decoding: data, as: UTF8.self)
        if let start = text.range(of: "    <elements>"), let end = text.range(of: "</elements>\n") {
            text.removeSubrange(start.lowerBound..<end.upperBound)
        }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
