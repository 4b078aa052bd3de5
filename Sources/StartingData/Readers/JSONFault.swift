/// What is wrong in a JSON text, at an offset of it.
struct JSONFault: Error {
    /// The offset of the first byte that is wrong.
    var offset: Int
    /// What is wrong.
    var message: String
    /// The offending text, if there is one.
    var value: String?
}
