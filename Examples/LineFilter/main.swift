// Prints the lines of its input for which a predicate holds. It needs FoundationSupplement alone, no Core Data:
//
//     LineFilter "SELF BEGINSWITH[c] 'error' AND NOT SELF MATCHES '.*[0-9]+ retries'" <server.log
//
// With more arguments, `%@` in the predicate stands for them, in their order.
import Foundation
import FoundationSupplement

guard CommandLine.arguments.count > 1 else {
    FileHandle.standardError.write(Data("usage: LineFilter PREDICATE [ARGUMENT]…\n".utf8))
    exit(64)
}

do {
    // The text comes from a user: it may be wrong, and is no reason to stop with anything but a message.
    let predicate = try NSPredicate(
        validating: CommandLine.arguments[1], arguments: Array(CommandLine.arguments.dropFirst(2)))
    while let line = readLine() {
        if try predicate.evaluate(validating: line) { print(line) }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(65)
}
