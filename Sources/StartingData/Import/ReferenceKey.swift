import CoreData

/// A value by which rows are found. Two are equal when a store would say so.
enum ReferenceKey: Hashable, CustomStringConvertible {
    case integer(Int64)
    case real(Double)
    case text(ExactText)
    case uuid(UUID)

    /// Nil for no value, and for one that can't serve as a key.
    init?(_ value: SlotValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .text(ExactText(text))
        case .uuid(let uuid): self = .uuid(uuid)
        case .uri(let url): self = .text(ExactText(url.absoluteString))
        case .real(let number), .date(let number): self = .real(number)
        default: return nil
        }
    }

    /// The value as a message shows it.
    var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.string
        case .uuid(let uuid): uuid.uuidString
        }
    }
}

/// A text that equals only the same bytes, as in SQLite: Swift's strings are equal when they mean the same characters.
struct ExactText: Hashable {
    /// The text.
    let string: String

    init(_ string: String) { self.string = string }

    static func == (first: ExactText, second: ExactText) -> Bool {
        first.string.utf8.elementsEqual(second.string.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
