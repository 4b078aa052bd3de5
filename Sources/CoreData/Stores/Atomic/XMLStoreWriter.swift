import FoundationSupplement
import ManagedObjectModel

/// Writes the file of an XML store with the line breaks and indents of Apple's.
struct XMLStoreWriter {
    private var text = ""

    static func write(_ document: XMLStoreDocument) throws -> Data {
        var writer = XMLStoreWriter()
        try writer.write(document)
        return Data(writer.text.utf8)
    }

    private mutating func write(_ document: XMLStoreDocument) throws {
        line(0, #"<?xml version="1.0" standalone="yes"?>"#)
        line(0, #"<!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">"#)
        line(0, "")
        line(0, "<database>")
        try writeInformation(document)
        for object in document.objects { try write(object) }
        text += "</database>"
    }

    private mutating func writeInformation(_ document: XMLStoreDocument) throws {
        var metadata = document.metadata
        // These stand elsewhere, or nowhere: an XML store is one by its layout.
        let identifier = metadata.removeValue(forKey: NSStoreUUIDKey) as? String
        metadata[NSStoreTypeKey] = nil
        line(1, "<databaseInfo>")
        line(2, "<version>\(XMLStoreDocument.version)</version>")
        line(2, "<UUID>\(Self.escaped(identifier ?? ""))</UUID>")
        line(2, "<nextObjectID>\(document.lastKey)</nextObjectID>")
        line(2, "<metadata>")
        line(3, #"<plist version="1.0">"#)
        write(try PropertyListValue(foundation: metadata), 4)
        line(3, "</plist>")
        line(2, "</metadata>")
        line(1, "</databaseInfo>")
    }

    private mutating func write(_ value: PropertyListValue, _ depth: Int) {
        switch value {
        case .null: line(depth, "<string></string>")
        case .boolean(let flag): line(depth, flag ? "<true/>" : "<false/>")
        case .integer(let number): line(depth, "<integer>\(number)</integer>")
        case .uid(let number): line(depth, "<integer>\(number)</integer>")
        case .real(let number): line(depth, "<real>\(number)</real>")
        case .date(let seconds):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            line(depth, "<date>\(date.formatted(.iso8601))</date>")
        case .data(let bytes):
            line(depth, "<data>")
            text += "\t\t\(Data(bytes).base64EncodedString())\n\t\t</data>\n"
        case .string(let text): line(depth, "<string>\(Self.escaped(text))</string>")
        case .array(let elements):
            line(depth, "<array>")
            for element in elements { write(element, depth + 1) }
            line(depth, "</array>")
        case .dictionary(let pairs):
            line(depth, "<dict>")
            for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
                line(depth + 1, "<key>\(Self.escaped(key))</key>")
                write(value, depth + 1)
            }
            line(depth, "</dict>")
        }
    }

    /// XML parsers take no longer values of XML's own attributes; text of any length.
    private static let longestReferences = 9_999_999

    private mutating func write(_ object: StoredObject) throws {
        line(1, "<object type=\"\(Self.escaped(object.entity))\" id=\"z\(object.key)\">")
        for attribute in object.attributes {
            let value = Self.escaped(attribute.value.string ?? "")
            line(
                2, "<attribute name=\"\(Self.escaped(attribute.name))\" type=\"\(attribute.type)\">\(value)</attribute>"
            )
        }
        for relationship in object.relationships {
            let kind = relationship.isToMany ? "0/0" : "1/1"
            let keys = relationship.keys.map { "z\($0)" }.joined(separator: " ")
            guard keys.utf8.count <= Self.longestReferences else {
                throw StoreFileFault(
                    "'\(relationship.name)' of \(object.entity) \(object.key) has \(relationship.keys.count) objects,"
                        + " more than XML can hold")
            }
            let references = keys.isEmpty ? "" : " idrefs=\"\(keys)\""
            line(
                2,
                "<relationship name=\"\(Self.escaped(relationship.name))\" type=\"\(kind)\""
                    + " destination=\"\(Self.escaped(relationship.destination))\"\(references)></relationship>")
        }
        line(1, "</object>")
    }

    private mutating func line(_ depth: Int, _ content: String) {
        for _ in 0..<depth { text += "    " }
        text += content
        text += "\n"
    }

    /// Readers turn a carriage return into a line feed unless it is escaped.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { "&<>\"\r".utf8.contains($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
