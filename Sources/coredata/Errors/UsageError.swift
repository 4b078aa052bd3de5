/// A command line that can't be understood.
struct UsageError: Error {
    /// What is wrong, as a sentence without a full stop.
    var message: String
    /// Further lines that show the place.
    var details: [String] = []
    /// The usage line of the command, where the fault is in the form of the command line.
    var usage: String?
}
