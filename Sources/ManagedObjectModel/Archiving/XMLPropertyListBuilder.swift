import FoundationSupplement
import FoundationXML

/// Makes property list values of the events of an XML parser, with a stack of its own instead of recursion.
final class XMLPropertyListBuilder: NSObject, XMLParserDelegate {
    private(set) var root: PropertyListValue?
    private(set) var refusal: String?
    private var open: [Container] = []
    private var text = ""

    private enum Container {
        case plist
        case array([PropertyListValue])
        case dictionary([String: PropertyListValue], key: String?)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        text = ""
        guard open.count < BinaryPropertyList.maximumDepth else { return refuse(parser, "is nested too deeply") }
        switch name {
        case "plist": open.append(.plist)
        case "array": open.append(.array([]))
        case "dict": open.append(.dictionary([:], key: nil))
        case "key", "string", "integer", "real", "true", "false", "date", "data": break
        default: refuse(parser, "has an unknown element '\(name)' in line \(parser.lineNumber)")
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard refusal == nil else { return }
        switch name {
        case "plist", "array", "dict": close(parser)
        case "key":
            guard case .dictionary(let pairs, nil)? = open.last else {
                return refuse(parser, "has a key out of place in line \(parser.lineNumber)")
            }
            open[open.count - 1] = .dictionary(pairs, key: text)
        default:
            guard let value = scalar(name) else {
                return refuse(parser, "has a damaged '\(name)' in line \(parser.lineNumber)")
            }
            add(value, parser)
        }
        text = ""
    }

    private func close(_ parser: XMLParser) {
        switch open.popLast() {
        case .array(let elements)?: add(.array(elements), parser)
        case .dictionary(let pairs, nil)?: add(Self.reference(pairs) ?? .dictionary(pairs), parser)
        case .dictionary?: refuse(parser, "has a key without a value in line \(parser.lineNumber)")
        case .plist?, nil: break
        }
    }

    private static func reference(_ pairs: [String: PropertyListValue]) -> PropertyListValue? {
        guard pairs.count == 1, case .integer(let number)? = pairs["CF$UID"], number >= 0 else { return nil }
        return .uid(Int(number))
    }

    private func add(_ value: PropertyListValue, _ parser: XMLParser) {
        switch open.popLast() {
        case .array(var elements)?:
            elements.append(value)
            open.append(.array(elements))
        case .dictionary(var pairs, let key?)?:
            pairs[key] = value
            open.append(.dictionary(pairs, key: nil))
        case .plist? where root == nil:
            root = value
            open.append(.plist)
        default: refuse(parser, "has a value out of place in line \(parser.lineNumber)")
        }
    }

    private func scalar(_ name: String) -> PropertyListValue? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "string": return .string(text)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer": return Int64(trimmed).map { .integer($0) }
        case "real": return Double(trimmed).map { .real($0) }
        case "date":
            let date = try? Date(trimmed, strategy: .iso8601)
            return date.map { .date($0.timeIntervalSinceReferenceDate) }
        case "data":
            return Data(base64Encoded: trimmed, options: .ignoreUnknownCharacters).map { .data(Array($0)) }
        default: return nil
        }
    }

    private func refuse(_ parser: XMLParser, _ reason: String) {
        if refusal == nil { refusal = reason }
        parser.abortParsing()
    }
}
