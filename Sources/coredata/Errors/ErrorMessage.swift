import CoreData

/// What the tool says of an error, without a line break at the end: one line that begins with "Error: ", and, for
/// mistakes in the command line, lines that show the place.
func errorMessage(_ error: any Error) -> String {
    switch error {
    case let error as UsageError:
        let usage = error.usage.map { ["Usage: \($0)"] } ?? []
        return (["Error: \(singleLine(error.message))"] + error.details + usage).joined(separator: "\n")
    case let error as InputError: return "Error: \(singleLine(error.message))"
    case let error as OutputError: return "Error: \(error.description)"
    case let error as CocoaError: return "Error: \(singleLine(cocoaMessage(error)))"
    case let error as any LocalizedError:
        return "Error: \(singleLine(error.errorDescription ?? String(describing: error)))"
    default:
        let text = type(of: error) is NSError.Type ? (error as NSError).localizedDescription : String(describing: error)
        return "Error: \(singleLine(text))"
    }
}

/// The words of an error; where it stands for several, those of the first and how many there are.
private func cocoaMessage(_ error: CocoaError) -> String {
    let details = error.userInfo[NSDetailedErrorsKey] as? [any Error] ?? []
    guard let first = details.first else {
        let path = error.userInfo[NSFilePathErrorKey] as? String
        let message = error.userInfo[NSLocalizedDescriptionKey] as? String ?? (error as NSError).localizedDescription
        return path.map { message.contains($0) ? message : "\($0): \(message)" } ?? message
    }
    let more = details.count > 1 ? " (and \(details.count - 1) more)" : ""
    return (first as NSError).localizedDescription + more
}

/// A text without line breaks and other control characters, which could do harm on a terminal.
func singleLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
}
