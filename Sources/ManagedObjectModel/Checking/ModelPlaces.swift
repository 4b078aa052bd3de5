/// The lines on which a model's XML has its entities and properties.
struct ModelPlaces {
    private var lines: [String: Int] = [:]

    /// No places: the model has no lines.
    init() {}

    init(_ root: XMLTree) {
        for entity in root.children(named: "entity") {
            let name = entity.attributes["name"] ?? ""
            note(name, entity.line)
            for child in entity.children where ["attribute", "relationship", "fetchedProperty"].contains(child.name) {
                note("\(name).\(child.attributes["name"] ?? "")", child.line)
            }
        }
    }

    private mutating func note(_ place: String, _ line: Int) {
        if lines[place] == nil { lines[place] = line }
    }

    /// The line of what a finding is about: the property's, else the entity's.
    func line(of finding: ModelFinding) -> Int? {
        finding.place.flatMap { lines[$0] } ?? finding.entity.flatMap { lines[$0] }
    }
}
