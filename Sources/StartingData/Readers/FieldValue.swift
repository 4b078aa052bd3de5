import Foundation

/// The value of a field of the current record.
///
/// The buffers point into the file or into the reader's memory: they are valid until the reader's next `next()`.
package enum FieldValue {
    /// No value: an empty unquoted cell, a JSON `null`.
    case null
    /// Valid UTF-8 text.
    case text(UnsafeRawBufferPointer)
    /// The literal text of a JSON number, exact.
    case number(UnsafeRawBufferPointer)
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
    /// An object that has not been flattened into columns: an empty one.
    case object([OwnedField])

    /// The same value with storage of its own, which may be kept.
    package var owned: OwnedValue {
        switch self {
        case .null: .null
        case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
        case .number(let bytes): .number(String(decoding: bytes, as: UTF8.self))
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .boolean(let flag): .boolean(flag)
        case .date(let date): .date(date)
        case .data(let data): .data(data)
        case .list(let values): .list(values)
        case .object(let fields): .object(fields)
        }
    }
}
