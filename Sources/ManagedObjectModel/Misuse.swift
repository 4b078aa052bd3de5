import FoundationSupplement

/// Reports what raises an exception on Apple's systems because the program, not its input, is wrong.
///
/// Debug builds stop with Apple's wording. Release builds log and go on: callers use this only where no data can be
/// harmed by going on, and leave things as they were.
package func reportMisuse(_ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) {
    #if DEBUG
    preconditionFailure(message(), file: file, line: line)
    #else
    FileHandle.standardError.write(Data("CoreData: error: \(message())\n".utf8))
    #endif
}
