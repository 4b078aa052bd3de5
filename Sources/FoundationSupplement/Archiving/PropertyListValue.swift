/// A value of a property list, with the object references (UIDs) that keyed archives add.
///
/// Foundation's property lists hide these references behind a private class, and its unarchiver can't follow cycles,
/// which models are full of; so archives of models have a representation of their own.
package enum PropertyListValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// The place of an object in the archive's table of objects.
    case uid(Int)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var array: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    package var uid: Int? {
        if case .uid(let value) = self { value } else { nil }
    }

    /// The value as a whole number; archives write Booleans and whole reals in its place now and then.
    package var integer: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .boolean(let value): value ? 1 : 0
        case .real(let value): Int(exactly: value)
        default: nil
        }
    }

    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }
}
