import FoundationSupplement
import FuzzerDriver

// Looks for texts that the parser, the printer or the evaluation of predicates can't take:
//
//     scripts/fuzz PredicateFuzzer [SECONDS]
//
// A text is refused, or it prints as a text that means the same, can be evaluated or says why not, and survives an
// archive. Anything else stops the program, and libFuzzer writes the text into a file `crash-…`.

var count = CommandLine.argc
var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &list) { bytes, size in
        PredicateCheck.check(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(size)), as: UTF8.self))
        return 0
    })
