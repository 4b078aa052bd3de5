import FoundationSupplement
import FoundationXML
import ManagedObjectModel

/// Reads the file of an XML store. The file may come from anyone.
final class XMLStoreReader: NSObject, XMLParserDelegate {
    private var path: [String] = []
    private var text = ""
    private var identifier = ""
    private var lastKey: Int64 = 0
    private var objects: [StoredObject] = []
    private var attribute: (name: String, type: String)?
    private var fault: StoreFileFault?

    static func read(_ data: Data) throws -> XMLStoreDocument {
        // Foundation's parser stops the program at a name that isn't UTF-8.
        guard String(validating: data, as: UTF8.self) != nil else { throw StoreFileFault("is not UTF-8 text") }
        let body = try withoutDocumentType(data)
        // Given at once, no more than ten megabytes are taken.
        let parser = XMLParser(stream: InputStream(data: body))
        parser.shouldResolveExternalEntities = false
        let reader = XMLStoreReader()
        parser.delegate = reader
        let isComplete = parser.parse()
        if let fault = reader.fault { throw fault }
        guard isComplete, reader.path.isEmpty else { throw StoreFileFault("is cut off", line: parser.lineNumber) }
        var metadata = try metadata(body)
        metadata[NSStoreUUIDKey] = reader.identifier
        metadata[NSStoreTypeKey] = NSXMLStoreType
        return XMLStoreDocument(metadata: metadata, lastKey: reader.lastKey, objects: reader.objects)
    }

    /// The file with blanks in place of its one harmless document type. All others, and entities, are how XML files
    /// attack their readers; they can only stand before the first element.
    private static func withoutDocumentType(_ data: Data) throws -> Data {
        guard let root = data.range(of: Data("<database>".utf8)) else {
            throw StoreFileFault("is not an XML store: it has no element 'database'")
        }
        var body = data
        let start = data[..<root.lowerBound]
        if let type = start.range(of: Data("<!DOCTYPE database SYSTEM \"".utf8)),
            let end = start[type.upperBound...].range(of: Data("\">".utf8)),
            !start[type.upperBound..<end.lowerBound].contains(where: { "\"<>[".utf8.contains($0) })
        {
            let range = type.lowerBound..<end.upperBound
            body.replaceSubrange(range, with: data[range].map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") })
        }
        let rest = body[..<root.lowerBound]
        guard rest.range(of: Data("<!DOCTYPE".utf8)) == nil, rest.range(of: Data("<!ENTITY".utf8)) == nil else {
            throw StoreFileFault("declares a document type or an entity, which no XML store does")
        }
        return body
    }

    /// The property list among the metadata; stores of the first versions have none.
    private static func metadata(_ data: Data) throws -> [String: Any] {
        guard let start = data.range(of: Data("<metadata>".utf8)),
            let end = data.range(of: Data("</metadata>".utf8), in: start.upperBound..<data.endIndex)
        else { return [:] }
        let list = Data(data[start.upperBound..<end.lowerBound])
        guard list.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return [:] }
        do {
            guard let pairs = try XMLPropertyList.read(list).dictionary else {
                throw StoreFileFault("has metadata that are no dictionary")
            }
            return pairs.mapValues(\.foundationValue)
        } catch let error as PropertyListError {
            throw StoreFileFault("has metadata that can't be read: the property list \(error)")
        }
    }

    // MARK: Events

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard path.count < BinaryPropertyList.maximumDepth else { return refuse(parser, "is nested too deeply") }
        path.append(name)
        text = ""
        switch (path.count, name) {
        case (1, "database"), (2, "databaseInfo"): break
        case (1, _): refuse(parser, "is not an XML store: its element is '\(name)'")
        case (2, "object"): startObject(parser, attributes)
        case (2, _): refuse(parser, "has an unknown element '\(name)'")
        case (3, "attribute") where path[1] == "object":
            attribute = attributes["name"].map { ($0, attributes["type"] ?? "") }
            if attribute == nil { refuse(parser, "has an attribute without a name") }
        case (3, "relationship") where path[1] == "object": addRelationship(parser, attributes)
        case (3..., _) where path[1] == "object": refuse(parser, "has an unknown element '\(name)' in an object")
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    // With a standalone document, blanks alone come here.
    func parser(_ parser: XMLParser, foundIgnorableWhitespace whitespaceString: String) { text += whitespaceString }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard fault == nil else { return }
        switch path {
        case ["database", "databaseInfo", "UUID"]: identifier = text.trimmingCharacters(in: .whitespacesAndNewlines)
        case ["database", "databaseInfo", "nextObjectID"]:
            guard let number = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)), number >= 0 else {
                return refuse(parser, "has the nextObjectID '\(text)'")
            }
            lastKey = number
        case ["database", "databaseInfo", "version"]:
            guard text == XMLStoreDocument.version else { return refuse(parser, "is of the unknown version '\(text)'") }
        case ["database", "object", "attribute"]:
            if let attribute {
                objects[objects.count - 1].attributes.append(
                    .init(name: attribute.name, type: attribute.type, value: .string(text)))
            }
        default: break
        }
        path.removeLast()
        text = ""
    }

    // On Linux `parse()` returns true for a file with errors, too.
    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        refuse(parser, "is not well-formed XML (parser error \((error as NSError).code))")
    }

    private func startObject(_ parser: XMLParser, _ attributes: [String: String]) {
        guard let entity = attributes["type"], let key = attributes["id"].flatMap(Self.key) else {
            return refuse(parser, "has an object without a type, or with the id '\(attributes["id"] ?? "")'")
        }
        objects.append(StoredObject(entity: entity, key: key, line: parser.lineNumber))
    }

    private func addRelationship(_ parser: XMLParser, _ attributes: [String: String]) {
        guard let name = attributes["name"] else { return refuse(parser, "has a relationship without a name") }
        var keys: [Int64] = []
        for reference in (attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace) {
            guard let key = Self.key(String(reference)) else {
                return refuse(parser, "has the reference '\(reference)' in '\(name)'")
            }
            keys.append(key)
        }
        objects[objects.count - 1].relationships.append(
            .init(
                name: name, isToMany: attributes["type"] != "1/1", destination: attributes["destination"] ?? "",
                keys: keys))
    }

    private static func key(_ text: String) -> Int64? {
        guard text.hasPrefix("z"), let key = Int64(text.dropFirst()), key > 0 else { return nil }
        return key
    }

    private func refuse(_ parser: XMLParser, _ reason: String) {
        if fault == nil { fault = StoreFileFault(reason, line: parser.lineNumber) }
        parser.abortParsing()
    }
}
