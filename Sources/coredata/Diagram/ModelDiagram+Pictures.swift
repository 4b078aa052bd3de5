import CoreData

extension ModelDiagram {
    /// The picture as SVG, with the title where programs that read pictures aloud look for it.
    func svg() throws -> Data {
        let drawing = String(decoding: try Graphviz.draw(dot, ["-Tsvg"]), as: UTF8.self)
        guard let start = drawing.range(of: "<svg "),
            let end = drawing.range(of: ">", range: start.upperBound..<drawing.endIndex)
        else { throw GraphvizError(complaint: "its picture is not SVG") }
        let head = drawing[..<start.upperBound] + "role=\"img\" " + drawing[start.upperBound..<end.upperBound]
        return Data("\(head)\n<title>\(XMLText.escaped(title))</title>\(drawing[end.upperBound...])".utf8)
    }

    /// The picture as PNG, at twice the resolution of a plain screen.
    func png() throws -> Data { try Graphviz.draw(dot, ["-Tpng", "-Gdpi=144"]) }
}
