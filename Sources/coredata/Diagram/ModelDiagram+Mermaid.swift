extension ModelDiagram {
    /// The picture as one of Mermaid's class diagrams, which many sites draw where Markdown has them:
    /// <https://mermaid.js.org/syntax/classDiagram.html>. Its other kind, for entities, knows no inheritance.
    var mermaid: String {
        let names = classNames
        // A JSON string is a YAML string.
        var lines = ["---", "title: \(JSON.quoted(singleLine(title)))", "---", "classDiagram", "    direction LR"]
        for (entity, name) in zip(entities, names) { lines += declaration(entity, name).map { "    \($0)" } }
        lines += inheritance.map { "    \(names[$0.parent]) <|-- \(names[$0.child])" }
        lines += connections.map { "    \(statement($0, names))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What Mermaid calls each entity. An upper-case first letter keeps the name from being one of its words; other
    /// names become labels of a made-up one.
    private var classNames: [String] {
        let plain = Set(entities.map(\.name).filter(isPlain))
        return entities.enumerated().map { number, entity in
            guard !isPlain(entity.name) else { return entity.name }
            var name = "E\(number + 1)"
            while plain.contains(name) { name += "_" }
            return name
        }
    }

    private func isPlain(_ name: String) -> Bool {
        let isWord = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isWord && name.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
    }

    private func declaration(_ entity: Entity, _ name: String) -> [String] {
        let head = "class \(name)" + (name == entity.name ? "" : "[\"\(Mermaid.text(entity.name))\"]")
        var members = entity.isAbstract ? ["<<abstract>>"] : []
        members += entity.attributes.map(member)
        members += entity.relationships.filter(\.isFetched).map { fetched in
            "\(Mermaid.text(fetched.name)) : \(Mermaid.text(fetched.destination)) fetched"
        }
        return members.isEmpty ? [head] : ["\(head) {"] + members.map { "    \($0)" } + ["}"]
    }

    private func member(_ attribute: Attribute) -> String {
        let path = String(repeating: "#nbsp;", count: attribute.depth * 4) + Mermaid.text(attribute.name)
        let type = Mermaid.text(attribute.type) + (attribute.isOptional ? "?" : "")
        return ([path, ":", type] + attribute.marks.map(Mermaid.text)).joined(separator: " ")
    }

    private func statement(_ line: Connection, _ names: [String]) -> String {
        let (source, destination) = (relationship(line.source), relationship(line.destination))
        let near = destination.map { " \"\($0.cardinality.range)\"" } ?? ""
        let far = source.map { " \"\($0.cardinality.range)\"" } ?? ""
        let label = [source, destination].compactMap(\.self).map(text).joined(separator: " / ")
        let arrow = destination == nil ? "..>" : "--"
        return "\(names[line.source.entity])\(near) \(arrow)\(far) \(names[line.destination.entity]) : \(label)"
    }

    private func text(_ relationship: Relationship) -> String {
        let marks = relationship.marks
        return Mermaid.text(relationship.name) + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
    }
}

private enum Mermaid {
    /// The text with Mermaid's codes in place of all that might mean something to it.
    static func text(_ text: String) -> String {
        let line = singleLine(text.isEmpty ? "?" : text)
        let coded = line.unicodeScalars.reduce(into: "") { result, scalar in
            let isOrdinary =
                !scalar.isASCII || scalar == " " || scalar == "_" || scalar.properties.isAlphabetic
                || scalar.properties.numericType != nil
            if isOrdinary { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
        }
        // 'direction LR' has its meaning to Mermaid in the middle of a line and inside of quotation marks, too.
        return coded.replacing("direction ", with: "direction#32;")
    }
}
