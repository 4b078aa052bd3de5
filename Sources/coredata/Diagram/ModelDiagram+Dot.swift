extension ModelDiagram {
    /// The picture in the language of Graphviz: each entity a table, whose rows lines begin and end at.
    var dot: String {
        let names = nodeNames
        var lines = ["digraph model {"]
        lines += Self.settings.map { "    \($0)" }
        lines.append("    graph [label=<\(heading)>]")
        for (entity, name) in zip(entities, names) {
            lines.append("    \(name) [label=<\(EntityTable(entity).html)>]")
        }
        for (parent, child) in inheritance {
            lines.append("    \(names[parent]):entity -> \(names[child]):entity [\(Self.inheritanceStyle)]")
        }
        lines += connections.map { "    \(statement($0, names))" }
        lines += gridOfLoners.map { "    \(names[$0]) -> \(names[$1]) [style=invis]" }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static let settings = [
        "graph [rankdir=LR, bgcolor=\"\(Ink.paper)\", pad=0.4, nodesep=0.35, ranksep=1, labelloc=t, labeljust=l]",
        "graph [fontname=\"\(font)\", fontsize=10, fontcolor=\"\(Ink.faint)\"]",
        "node [shape=plain, fontname=\"\(font)\", fontsize=11, fontcolor=\"\(Ink.text)\"]",
        "edge [color=\"\(Ink.line)\", penwidth=1.1, arrowsize=0.8]",
    ]
    /// Found, in one of these names or with the same widths, wherever pictures are looked at.
    private static let font = "Arial,Helvetica,sans-serif"
    private static let inheritanceStyle =
        "dir=back, arrowtail=onormal, arrowsize=1.1, color=\"\(Ink.abstractHead)\", penwidth=1.6, weight=4, "
        + "tooltip=\"inherits from\""

    /// A name for each box, which the picture shows when pointed at; different ones, whatever the model has.
    private var nodeNames: [String] {
        var taken: Set<String> = []
        return entities.map { entity in
            let wanted = entity.name.isEmpty ? "?" : singleLine(entity.name)
            var name = wanted
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(wanted) \(number)"
                number += 1
            }
            return Dot.quoted(name)
        }
    }

    // MARK: The title

    /// The title, and beneath it what the signs mean, as far as they occur.
    private var heading: String {
        let space = "<FONT POINT-SIZE=\"4\"> </FONT>"
        let rows = [Dot.text(title, size: 20, colour: Ink.text, isBold: true), space, legend, " "]
        return rows.map { "\($0)<BR ALIGN=\"LEFT\"/>" }.joined()
    }

    private var legend: String {
        let all = entities.flatMap(\.relationships)
        let isOptional: (Relationship) -> Bool = { !$0.cardinality.isToMany && $0.cardinality.least == 0 }
        let signs: [(Bool, String)] = [
            (true, "\(entities.count) \(entities.count == 1 ? "entity" : "entities")"),
            (
                entities.contains { $0.attributes.contains(where: \.isOptional) } || all.contains(where: isOptional),
                "? optional"
            ),
            (all.contains(where: \.cardinality.isToMany), "∗ to many"),
            (all.contains { !$0.isFetched }, "delete rule nullify where none is named"),
            (connections.contains { $0.destination.relationship == nil }, "dashed: no inverse"),
            (!inheritance.isEmpty, "hollow arrow: inherits from"),
        ]
        let shown = signs.filter(\.0).map(\.1).joined(separator: "  ·  ")
        return Dot.text(shown, size: 10, colour: Ink.faint)
    }

    // MARK: Lines

    private func statement(_ line: Connection, _ names: [String]) -> String {
        let (source, destination) = (relationship(line.source), relationship(line.destination))
        var style = ["dir=both", "arrowhead=\(arrow(source))", "arrowtail=\(arrow(destination))"]
        if destination == nil { style.append("style=dashed") }
        if [source, destination].contains(where: { $0?.deleteRule == .cascadeDeleteRule }) {
            style.append("color=\"\(Ink.cascadeLine)\"")
        }
        style.append("tooltip=\(Dot.quoted(tip(line)))")
        return "\(place(line.source, names)) -> \(place(line.destination, names)) [\(style.joined(separator: ", "))]"
    }

    private func place(_ end: End, _ names: [String]) -> String {
        names[end.entity] + (end.relationship.map { ":r\($0)" } ?? ":entity")
    }

    /// The foot at the far end of a relationship's line: a crow's for many, a ring for perhaps none.
    private func arrow(_ relationship: Relationship?) -> String {
        guard let cardinality = relationship?.cardinality else { return "none" }
        return (cardinality.isToMany ? "crow" : "tee") + (cardinality.least == 0 ? "odot" : "tee")
    }

    private func tip(_ line: Connection) -> String {
        func name(_ end: End) -> String {
            ([entities[end.entity].name] + [relationship(end)?.name].compactMap(\.self)).joined(separator: ".")
        }
        return "\(name(line.source)) \(line.destination.relationship == nil ? "→" : "↔") \(name(line.destination))"
    }

    // MARK: Boxes without lines

    /// Pairs of boxes to be put beside each other, so that those without a line fill rows instead of one long column.
    private var gridOfLoners: [(Int, Int)] {
        let ends = connections.flatMap { [$0.source.entity, $0.destination.entity] }
        let connected = Set(ends + inheritance.flatMap { [$0.parent, $0.child] })
        // Boxes of about one height stand in a row.
        let loners = entities.indices.filter { !connected.contains($0) }
            .sorted { (-entities[$0].height, $0) < (-entities[$1].height, $1) }
        let width = max(4, Int(Double(loners.count).squareRoot().rounded(.up)))
        return loners.indices.filter { $0 % width > 0 }.map { (loners[$0 - 1], loners[$0]) }
    }
}

extension ModelDiagram.Entity {
    fileprivate var height: Int { attributes.count + relationships.count }
}

/// The colours: dark on white, each readable by people who don't see all of them.
private enum Ink {
    static let paper = "#ffffff"
    static let text = "#1f2933"
    static let faint = "#6b7785"
    static let line = "#7b8794"
    static let cascadeLine = "#c0755f"
    static let head = "#334e68"
    static let abstractHead = "#627d98"
    static let relationship = "#0b69a3"
    static let mark = "#b3452c"
}

/// The box of an entity as one of Graphviz's HTML-like labels.
private struct EntityTable {
    let entity: ModelDiagram.Entity

    init(_ entity: ModelDiagram.Entity) { self.entity = entity }

    var html: String {
        let colour = entity.isAbstract ? Ink.abstractHead : Ink.head
        var rows = [head(colour)] + entity.attributes.map(row)
        if !entity.attributes.isEmpty, !entity.relationships.isEmpty { rows.append("<HR/>") }
        rows += entity.relationships.enumerated().map { row($1, port: "r\($0)") }
        return "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"3\" COLOR=\"\(colour)\" "
            + "BGCOLOR=\"\(Ink.paper)\">\n\(rows.map { "        \($0)\n" }.joined())    </TABLE>"
    }

    private func head(_ colour: String) -> String {
        let name = Dot.text(
            entity.name, size: 13, colour: Ink.paper, isBold: true, isItalic: entity.isAbstract)
        let style = "PORT=\"entity\" BGCOLOR=\"\(colour)\" COLOR=\"\(colour)\" BORDER=\"1\" CELLPADDING=\"6\""
        guard entity.isAbstract else { return "<TR><TD COLSPAN=\"3\" \(style) ALIGN=\"LEFT\">\(name)</TD></TR>" }
        // A table in the cell: the cell as a whole is where lines end.
        let abstract = Dot.text("abstract", size: 9, colour: "#e4eaf0")
        return "<TR><TD COLSPAN=\"3\" \(style)><TABLE BORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR>"
            + "<TD ALIGN=\"LEFT\">\(name)</TD><TD ALIGN=\"RIGHT\">\(abstract)</TD></TR></TABLE></TD></TR>"
    }

    private func row(_ attribute: ModelDiagram.Attribute) -> String {
        let indent = String(repeating: "&nbsp;", count: attribute.depth * 4)
        let cells = [
            indent + Dot.text(attribute.name),
            Dot.text(attribute.type + (attribute.isOptional ? "?" : ""), colour: Ink.faint),
            attribute.marks.isEmpty
                ? "" : Dot.text(attribute.marks.joined(separator: " · "), size: 9, colour: Ink.mark),
        ]
        return "<TR>" + cells.map { "<TD ALIGN=\"LEFT\">\($0)</TD>" }.joined() + "</TR>"
    }

    private func row(_ relationship: ModelDiagram.Relationship, port: String) -> String {
        var parts = [
            Dot.text(relationship.name, colour: Ink.relationship),
            Dot.text(relationship.destination + relationship.cardinality.sign, colour: Ink.faint),
        ]
        let marks = relationship.marks
        if !marks.isEmpty { parts.append(Dot.text(marks.joined(separator: " · "), size: 9, colour: Ink.mark)) }
        let text = parts.joined(separator: "&nbsp;&nbsp;")
        return "<TR><TD COLSPAN=\"3\" ALIGN=\"LEFT\" PORT=\"\(port)\">\(text)</TD></TR>"
    }
}

extension ModelDiagram.Relationship {
    /// What else there is to know, in a word each: among it the delete rule, unless it is the usual one.
    var marks: [String] {
        let rule = deleteRule == .nullifyDeleteRule ? nil : deleteRule.word
        return [isFetched ? "fetched" : nil, isOrdered ? "ordered" : nil, rule].compactMap(\.self)
    }
}

extension ModelDiagram.Cardinality {
    /// `?`, ` ∗`, ` 2–5`, or nothing for exactly one.
    fileprivate var sign: String {
        switch (least, most) {
        case (0, 1): "?"
        case (_, 1): ""
        case (0, nil): " ∗"
        default: " \(least)–\(most.map(String.init) ?? "∗")"
        }
    }
}

/// Graphviz's language: its quotation marks and its HTML-like text.
private enum Dot {
    /// A name or value in quotation marks.
    static func quoted(_ text: String) -> String {
        let escaped = singleLine(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Text for HTML-like labels. Type outside of the font, so that Graphviz puts it in the middle of its line.
    static func text(
        _ text: String, size: Int? = nil, colour: String? = nil, isBold: Bool = false, isItalic: Bool = false
    ) -> String {
        // To Graphviz \N is the box's name, also in HTML-like text.
        var html = text.isEmpty ? "?" : XMLText.escaped(text).replacing("\\", with: "\\\\")
        let font = [colour.map { "COLOR=\"\($0)\"" }, size.map { "POINT-SIZE=\"\($0)\"" }].compactMap(\.self)
        if !font.isEmpty { html = "<FONT \(font.joined(separator: " "))>\(html)</FONT>" }
        if isItalic { html = "<I>\(html)</I>" }
        return isBold ? "<B>\(html)</B>" : html
    }
}
