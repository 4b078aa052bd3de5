/// Why a field or row is refused, for whoever knows its place.
struct Refusal: Error {
    /// What is wrong.
    let message: String
    /// The offending value.
    let value: String

    /// The error for a reader of the message.
    func error(at position: SourcePosition) -> SourceError {
        SourceError(position: position, message: message, value: value)
    }
}
