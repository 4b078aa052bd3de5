import Foundation

/// A nested value that a list or an object carries; unlike `FieldValue` it holds its own storage.
package indirect enum OwnedValue: Sendable, Equatable {
    /// No value.
    case null
    /// Text.
    case text(String)
    /// The literal text of a JSON number, exact.
    case number(String)
    /// A whole number of a property list.
    case integer(Int64)
    /// A floating-point number of a property list.
    case real(Double)
    /// True or false.
    case boolean(Bool)
    /// A point in time.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An array.
    case list([OwnedValue])
    /// An object: its fields in the order of the source (property lists: in the order of the keys).
    case object([OwnedField])
}
