import CoreData

/// A value as it is written: its text, and whether JSON takes the text as it is.
struct Cell {
    /// What the text stands for.
    enum Kind {
        /// Nil; the text is empty.
        case null
        /// A number or Boolean, whose text JSON takes as it is.
        case literal
        /// Anything else.
        case text
    }

    /// The text.
    var text: String
    /// What it stands for.
    var kind: Kind

    /// Nil.
    static let null = Cell(text: "", kind: .null)

    /// The value of an attribute.
    init(_ value: SlotValue, _ type: NSAttributeType) {
        switch value {
        case .integer(let number):
            self.init(literal: type == .booleanAttributeType ? (number == 0 ? "false" : "true") : String(number))
        case .real(let number):
            let text = type == .floatAttributeType ? Float(number).description : number.description
            self.init(text: text, kind: number.isFinite ? .literal : .text)
        case .decimal(let number): self.init(text: number.description, kind: number.isNaN ? .text : .literal)
        case .date(let seconds): self.init(text: ISODate.text(seconds), kind: .text)
        case .string(let text): self.init(text: text, kind: .text)
        case .data(let data): self.init(text: data.base64EncodedString(), kind: .text)
        case .external(let value):
            guard let data = value.dataOrWarning else {
                self = .null
                return
            }
            self.init(text: data.base64EncodedString(), kind: .text)
        case .uuid(let uuid): self.init(text: uuid.uuidString, kind: .text)
        case .uri(let url): self.init(text: url.absoluteString, kind: .text)
        case .null, .composite, .transformed, .reference, .object, .toMany, .fetched: self = .null
        }
    }

    /// The object that a to-one relationship leads to: the path of its URI, `Country/p12`.
    init(_ id: NSManagedObjectID) {
        self.init(text: String(id.uriRepresentation().path.drop { $0 == "/" }), kind: .text)
    }

    private init(literal: String) { self.init(text: literal, kind: .literal) }

    init(text: String, kind: Kind) {
        self.text = text
        self.kind = kind
    }

    /// The value in JSON.
    var json: String {
        switch kind {
        case .null: "null"
        case .literal: text
        case .text: JSON.quoted(text)
        }
    }

    /// The value in a table: nothing for nil, quotation marks for empty text, escapes for control characters.
    var shown: String {
        if kind == .text, text.isEmpty { return "\"\"" }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            result += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
}
