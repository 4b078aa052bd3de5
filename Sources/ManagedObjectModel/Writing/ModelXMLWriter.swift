import FoundationSupplement

/// Writes a model as the `contents` file of an `.xcdatamodel`, as Xcode's editor does.
///
/// What was read from such a file is written as it was, in its order; the positions of entities in the editor's diagram
/// are not kept. A model from elsewhere is written in the editor's order: by name, without regard to case.
package struct ModelXMLWriter {
    private let model: NSManagedObjectModel
    private var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"]
    private var composites: [(name: String, lines: [String])] = []
    /// What the model says and the XML can't, in words.
    private(set) var omissions: [String] = []

    /// The file's text, and what the model says that the file can't.
    package static func write(_ model: NSManagedObjectModel) -> (text: String, omissions: [String]) {
        var writer = ModelXMLWriter(model)
        writer.writeModel()
        return (writer.lines.joined(separator: "\n"), writer.omissions)
    }

    private init(_ model: NSManagedObjectModel) { self.model = model }

    private mutating func writeModel() {
        for composite in model.source.composites {
            composites.append((composite.name, attributeLines(composite.elements, in: composite.name)))
        }
        let attributes = model.source.spelling.applied(to: XcodeAttributes.of(model))
        element("model", attributes, depth: 0) { writer in
            for entity in writer.ordered(writer.model.entities, by: { $0.name ?? "" }) { writer.write(entity) }
            for composite in writer.composites { writer.writeComposite(composite) }
            for (name, request) in writer.model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
                writer.write(request, name: name, depth: 1)
            }
            for name in writer.model.configurations { writer.writeConfiguration(name) }
            // As in Xcode's empty model.
            if writer.lines.count == 2 { writer.element("elements", XMLAttributes(), depth: 1) }
        }
        if let more = model.versionIdentifiers.isEmpty ? nil : model.versionIdentifiers.count - 1, more > 0 {
            omissions.append("\(more) more version identifiers")
        }
    }

    private func ordered<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        guard !model.source.isOrdered else { return elements }
        let named = elements.map { (folded: name($0).lowercased(), name: name($0), element: $0) }
        return named.sorted { ($0.folded, $0.name) < ($1.folded, $1.name) }.map(\.element)
    }

    // MARK: Entities

    private mutating func write(_ entity: NSEntityDescription) {
        let name = entity.name ?? ""
        let properties = ordered(entity.declaredProperties) { $0.name }
        element("entity", entity.spelling.applied(to: XcodeAttributes.of(entity)), depth: 1) { writer in
            for case let attribute as NSAttributeDescription in properties {
                writer.write(attribute, in: name, depth: 2)
            }
            for case let relationship as NSRelationshipDescription in properties {
                let attributes = relationship.spelling.applied(to: XcodeAttributes.of(relationship))
                writer.element("relationship", attributes, depth: 2) { writer in
                    writer.writeUserInfo(relationship.userInfo, of: "\(name).\(relationship.name)", depth: 3)
                }
                writer.noteValidation(of: relationship, in: name)
            }
            for case let fetched as NSFetchedPropertyDescription in properties { writer.write(fetched, in: name) }
            writer.writeLists(
                "compoundIndexes", "compoundIndex", "index", entity.compoundIndexNames)
            for index in entity.indexes { writer.write(index) }
            writer.writeUserInfo(entity.userInfo, of: name, depth: 2)
            writer.writeLists(
                "uniquenessConstraints", "uniquenessConstraint", "constraint", entity.uniquenessConstraintNames)
        }
    }

    /// Lists of lists of names, if there are any.
    private mutating func writeLists(_ name: String, _ member: String, _ leaf: String, _ lists: [[String]]) {
        guard !lists.isEmpty else { return }
        element(name, XMLAttributes(), depth: 2) { writer in
            for list in lists {
                writer.element(member, XMLAttributes(), depth: 3) { writer in
                    for value in list {
                        var attributes = XMLAttributes()
                        attributes["value"] = value
                        writer.element(leaf, attributes, depth: 4)
                    }
                }
            }
        }
    }

    private mutating func write(_ index: NSFetchIndexDescription) {
        element("fetchIndex", index.spelling.applied(to: XcodeAttributes.of(index)), depth: 2) { writer in
            for item in index.elements {
                writer.element("fetchIndexElement", item.spelling.applied(to: XcodeAttributes.of(item)), depth: 3)
            }
        }
    }

    private mutating func writeUserInfo(_ info: [AnyHashable: Any]?, of owner: String, depth: Int) {
        guard let info else { return }
        element("userInfo", XMLAttributes(), depth: depth) { writer in
            let pairs = info.map { (key: "\($0.key.base)", value: $0.value) }
            for (key, value) in pairs.sorted(by: { VersionHash.codeUnitOrder($0.key, $1.key) }) {
                var attributes = XMLAttributes()
                attributes["key"] = key
                attributes["value"] = value as? String
                guard value is String else {
                    writer.omissions.append("the user info '\(key)' of '\(owner)', which is not a string")
                    continue
                }
                writer.element("entry", attributes, depth: depth + 1)
            }
        }
    }

    // MARK: Properties

    private mutating func write(_ attribute: NSAttributeDescription, in owner: String, depth: Int) {
        var canonical = XcodeAttributes.of(attribute)
        if let composite = attribute as? NSCompositeAttributeDescription {
            canonical["composite"] = name(of: composite)
        }
        element("attribute", attribute.spelling.applied(to: canonical), depth: depth) { writer in
            writer.writeUserInfo(attribute.userInfo, of: "\(owner).\(attribute.name)", depth: depth + 1)
        }
        noteOmissions(of: attribute, in: owner)
    }

    /// The lines of attributes that are elements of a composite.
    private mutating func attributeLines(_ elements: [NSAttributeDescription], in owner: String) -> [String] {
        let start = lines.count
        for element in elements { write(element, in: owner, depth: 2) }
        defer { lines.removeSubrange(start...) }
        return Array(lines[start...])
    }

    /// The name of an attribute's composite: the one that it came with, unless that has other elements by now.
    private mutating func name(of composite: NSCompositeAttributeDescription) -> String {
        let lines = attributeLines(composite.elements, in: composite.name)
        let base = composite.compositeName ?? composite.name.prefix(1).uppercased() + composite.name.dropFirst()
        var (name, number) = (base, 1)
        while let taken = composites.first(where: { $0.name == name }) {
            if taken.lines == lines { return name }
            number += 1
            name = "\(base)\(number)"
        }
        composites.append((name, lines))
        return name
    }

    private mutating func writeComposite(_ composite: (name: String, lines: [String])) {
        var attributes = XMLAttributes()
        attributes["name"] = composite.name
        element("composite", attributes, depth: 1) { $0.lines += composite.lines }
    }

    private mutating func write(_ fetched: NSFetchedPropertyDescription, in owner: String) {
        element("fetchedProperty", fetched.spelling.applied(to: XcodeAttributes.of(fetched)), depth: 2) { writer in
            if let request = fetched.fetchRequest {
                writer.write(request, name: "fetchedPropertyFetchRequest", depth: 3)
            }
            writer.writeUserInfo(fetched.userInfo, of: "\(owner).\(fetched.name)", depth: 3)
        }
        noteValidation(of: fetched, in: owner)
    }

    // MARK: Requests and configurations

    private mutating func write(_ request: NSFetchRequest<any NSFetchRequestResult>, name: String, depth: Int) {
        let attributes = request.spelling.applied(to: XcodeAttributes.of(request, name: name))
        element("fetchRequest", attributes, depth: depth)
        let unsaid: [(String, Bool)] = [
            ("sort descriptors", !(request.sortDescriptors ?? []).isEmpty), ("offset", request.fetchOffset != 0),
            ("properties to fetch", request.propertiesToFetch != nil),
            ("properties to group by", request.propertiesToGroupBy != nil),
            ("condition on groups", request.havingPredicate != nil),
            ("prefetched relationships", !(request.relationshipKeyPathsForPrefetching ?? []).isEmpty),
            ("refreshing of objects", request.shouldRefreshRefetchedObjects),
        ]
        omissions += unsaid.filter(\.1).map { "the \($0.0) of fetch request '\(name)'" }
    }

    private mutating func writeConfiguration(_ name: String) {
        let spelling = model.source.configurations[name] ?? SourceSpelling()
        let members = model.entities(forConfigurationName: name) ?? []
        element("configuration", spelling.applied(to: XcodeAttributes.ofConfiguration(name)), depth: 1) { writer in
            for entity in writer.ordered(members, by: { $0.name ?? "" }) {
                var attributes = XMLAttributes()
                attributes["name"] = entity.name
                writer.element("memberEntity", attributes, depth: 2)
            }
        }
    }

    // MARK: What can't be said

    private mutating func noteOmissions(of attribute: NSAttributeDescription, in owner: String) {
        let isUnsaid =
            attribute.foreignDefaultValue != nil
            || attribute.defaultValue != nil && XcodeText.defaultValue(of: attribute) == nil
        if isUnsaid { omissions.append("the default value of '\(owner).\(attribute.name)'") }
        if !AttributeLimits(attribute).isComplete {
            omissions.append("validation predicates of '\(owner).\(attribute.name)'")
        }
        if (attribute as? NSDerivedAttributeDescription)?.filteringPredicate != nil {
            omissions.append("the filter of the derived attribute '\(owner).\(attribute.name)'")
        }
    }

    private mutating func noteValidation(of property: NSPropertyDescription, in owner: String) {
        guard !property.validationPredicates.isEmpty else { return }
        omissions.append("validation predicates of '\(owner).\(property.name)'")
    }

    // MARK: Text

    /// Writes an element; an empty one in one tag.
    private mutating func element(
        _ name: String, _ attributes: XMLAttributes, depth: Int, _ content: (inout ModelXMLWriter) -> Void = { _ in }
    ) {
        let indent = String(repeating: "    ", count: depth)
        var tag = "\(indent)<\(name)"
        for (name, value) in attributes.inOrder(XcodeAttributes.order[name] ?? []) {
            tag += " \(name)=\"\(escaped(value))\""
        }
        let start = lines.count
        lines.append(tag + ">")
        content(&self)
        if lines.count == start + 1 {
            lines[start] = tag + "/>"
        } else {
            lines.append("\(indent)</\(name)>")
        }
    }

    /// A text as the value of an attribute. What XML has no way to say is left out, and noted.
    private mutating func escaped(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
                && $0 != UInt8(ascii: "\"") && $0 != 0xef
        }
        if isPlain { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            case "\t": result += "&#9;"
            case "\u{0}"..<" ", "\u{fffe}", "\u{ffff}": omissions.append("a control character")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
