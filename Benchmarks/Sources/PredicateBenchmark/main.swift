import CoreData

// Measures parsing and evaluation of predicates in memory. Each line has the median of the rounds, in operations a second
// of processor time, which neighbours on the machine disturb least.
//
//     PredicateBenchmark [ROUNDS] [PART OF A NAME]
//
// Parsed are the valid formats of real programs where COREDATA_SHARED names the folder that has them, else a list of
// typical ones. A "comparison" is one look at one property: `age > 18 AND name == "Anna"` counts as two.

let arguments = CommandLine.arguments
let rounds = arguments.count > 1 ? Int(arguments[1]) ?? 7 : 7
let wanted = arguments.count > 2 ? arguments[2] : ""

let typical = Formats.typical
measure("parse: typical formats", count: 20_000) { Formats.parse(typical, times: 20_000) }
if let corpus = Formats.corpus() {
    measure("parse: \(corpus.count) formats of real programs", count: corpus.count * 10) {
        Formats.parse(corpus, times: corpus.count * 10)
    }
}
for subject in Subjects.all { subject.measure() }

/// Prints how often a second something was done that a closure does `count` times.
func measure(_ name: String, count: Int, _ work: () -> Int) {
    guard wanted.isEmpty || name.contains(wanted) else { return }
    var seconds: [Double] = []
    var check = 0
    for _ in 0..<rounds {
        let start = processorTime()
        check = work()
        seconds.append(processorTime() - start)
    }
    let median = seconds.sorted()[seconds.count / 2]
    let rate = Double(count) / median
    let padded = name.padding(toLength: 60, withPad: " ", startingAt: 0)
    print("\(padded) \(Int(rate)) a second, \(Int(1e9 / rate)) ns each (\(check))")
}

/// The seconds that this process has worked.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
