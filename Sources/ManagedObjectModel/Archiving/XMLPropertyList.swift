import FoundationSupplement
import FoundationXML

/// Property lists in XML, with object references as `<dict><key>CF$UID</key>…`. Tools other than Apple's write archives
/// of models in this form.
package enum XMLPropertyList {
    package static func read(_ data: Data) throws -> PropertyListValue {
        // Property lists declare no entities; entities are how XML files attack their readers.
        guard XMLText.lineOfDeclaration(["ENTITY"], in: data) == nil else {
            throw PropertyListError("declares an entity")
        }
        if let fault = XMLText.encodingFault(data) { throw PropertyListError(fault) }
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        let builder = XMLPropertyListBuilder()
        parser.delegate = builder
        let complete = parser.parse()
        if let refusal = builder.refusal { throw PropertyListError(refusal) }
        guard complete, let root = builder.root else {
            let reason = parser.parserError?.localizedDescription ?? "no value"
            throw PropertyListError("is not a property list: \(reason), line \(parser.lineNumber)")
        }
        return root
    }
}
