/// A pattern of LIKE.
///
/// It is matched here and not as a regular expression: nothing needs escaping, and no pattern takes more time than its
/// length times the string's.
struct WildcardPattern {
    private enum Element: Equatable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    private let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                elements.append(.scalar(scalar))
                isEscaped = false
                continue
            }
            switch scalar {
            case "\\": isEscaped = true
            case "?": elements.append(.one)
            case "*": if elements.last != .any { elements.append(.any) }
            default: elements.append(.scalar(scalar))
            }
        }
        // A backslash at the end escapes nothing and stands for itself.
        if isEscaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var (place, element) = (0, 0)
        // Where to go on when a mismatch shows that the last "*" has taken too little.
        var retry: (element: Int, place: Int)?
        while place < scalars.count {
            if element < elements.count, elements[element] == .any {
                element += 1
                retry = (element, place)
            } else if element < elements.count, accepts(scalars[place], at: element) {
                place += 1
                element += 1
            } else if let last = retry {
                place = last.place + 1
                element = last.element
                retry = (element, place)
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .any }
    }

    private func accepts(_ scalar: Unicode.Scalar, at element: Int) -> Bool {
        elements[element] == .one || elements[element] == .scalar(scalar)
    }
}
