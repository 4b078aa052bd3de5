import Foundation

/// The public models and stores that Apple's tools made, kept beside the repository and never in it.
///
/// They are looked for where the environment variable `COREDATA_SHARED` says, else in `../shared` beside the package.
enum Corpus {
    static let root: URL? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let shared =
            ProcessInfo.processInfo.environment["COREDATA_SHARED"].map { URL(fileURLWithPath: $0) }
            ?? package.deletingLastPathComponent().appendingPathComponent("shared")
        let corpus = shared.appendingPathComponent("corpus")
        return FileManager.default.fileExists(atPath: corpus.appendingPathComponent("MANIFEST.tsv").path)
            ? corpus : nil
    }()

    static let absence = "the corpus is absent: set COREDATA_SHARED to the folder that holds corpus/"

    /// The corpus's files of a kind, as its manifest names it: `mom`, `model-xml`, `store-sqlite` and so on.
    static func files(kind: String) -> [URL] {
        guard let root, let text = try? String(contentsOf: root.appendingPathComponent("MANIFEST.tsv"), encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count > 1, columns[1] == kind else { return nil }
            return root.appendingPathComponent(String(columns[0]))
        }
    }
}
