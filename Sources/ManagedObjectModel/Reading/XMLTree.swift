import FoundationSupplement
import FoundationXML

/// One element of an XML file, with the line it stands on.
///
/// Model files are small and their parts refer to each other, so a tree is simpler than events and costs nothing.
final class XMLTree {
    let name: String
    let attributes: [String: String]
    let line: Int
    private(set) var children: [XMLTree] = []

    init(name: String, attributes: [String: String], line: Int, children: [XMLTree] = []) {
        self.name = name
        self.attributes = attributes
        self.line = line
        self.children = children
    }

    func children(named name: String) -> [XMLTree] {
        children.filter { $0.name == name }
    }

    fileprivate func append(_ child: XMLTree) { children.append(child) }

    /// Parses a file's bytes; `path` is for messages.
    static func parse(_ data: Data, path: String) throws -> XMLTree {
        // Model files have no document type; entities are how XML files attack their readers. Foundation's parser
        // on Linux doesn't report their declarations.
        if let line = XMLText.lineOfDeclaration(["ENTITY", "DOCTYPE"], in: data) {
            throw ModelFileError(
                path: path, line: line, reason: "document types and entities are not allowed in a model")
        }
        if let fault = XMLText.encodingFault(data) { throw ModelFileError(path: path, reason: fault) }
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        let builder = Builder()
        parser.delegate = builder
        let complete = parser.parse()
        if let refusal = builder.refusal {
            throw ModelFileError(path: path, line: refusal.line, reason: refusal.reason)
        }
        guard complete, let root = builder.root else {
            throw ModelFileError(path: path, line: parser.lineNumber, reason: "is not XML: it has no element")
        }
        return root
    }

    private final class Builder: NSObject, XMLParserDelegate {
        var root: XMLTree?
        var open: [XMLTree] = []
        var refusal: (line: Int, reason: String)?
        private var count = 0

        /// Enough for ten thousand entities; an element takes fifty times more memory than its text.
        private static let maximumCount = 200_000

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = XMLTree(name: name, attributes: attributes, line: parser.lineNumber)
            count += 1
            if open.count >= 64 { refuse(parser, "elements are nested too deeply") }
            if count > Self.maximumCount { refuse(parser, "there are too many elements for a model") }
            if let parent = open.last { parent.append(element) } else { root = element }
            open.append(element)
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            open.removeLast()
        }

        // On Linux `parse()` returns true for a file with errors, too.
        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
            let code = (error as NSError).code
            if refusal == nil { refusal = (parser.lineNumber, "is not well-formed XML (parser error \(code))") }
        }

        private func refuse(_ parser: XMLParser, _ reason: String) {
            if refusal == nil { refusal = (parser.lineNumber, reason) }
            parser.abortParsing()
        }
    }
}
