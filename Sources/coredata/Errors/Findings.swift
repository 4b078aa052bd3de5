/// A command did what it was asked to, and found something: differences, faults, rejects. Nothing more is printed, and
/// the tool ends with status 1, so that scripts notice.
struct Findings: Error {}
