/// How the XML element that a description was read from differs from the one that would be written for it.
///
/// Xcode's files say some things only to the editor (`syncable`, `usesScalarValueType`), and other things in more than
/// one way (`0`, `0.0` and `NO`). A model that is read and written again must lose neither. So what differs is kept, as
/// the file had it, and is written for as long as the description says the same.
package struct SourceSpelling {
    private struct Difference {
        let source: String?
        let canonical: String?
    }

    private var differences: [String: Difference] = [:]

    /// No difference.
    package init() {}

    init(source: [String: String], canonical: XMLAttributes) {
        for (name, value) in canonical.pairs where source[name] != value {
            differences[name] = Difference(source: source[name], canonical: value)
        }
        for (name, value) in source where canonical[name] == nil {
            differences[name] = Difference(source: value, canonical: nil)
        }
    }

    /// An attribute of the element that the description itself doesn't keep, such as `usesScalarValueType`.
    package subscript(name: String) -> String? { differences[name]?.source }

    /// The attributes to write: those of the description, spelt as the file had them where it meant the same.
    func applied(to canonical: XMLAttributes) -> XMLAttributes {
        var result = canonical
        for (name, difference) in differences where difference.canonical == canonical[name] {
            result[name] = difference.source
        }
        return result
    }
}
