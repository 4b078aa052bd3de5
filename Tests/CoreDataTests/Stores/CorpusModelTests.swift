import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A store of every real model", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
struct CorpusModelTests {
    @Test("can be made, for the whole model and for each configuration, in every era")
    func made() throws {
        var (models, stores) = (0, 0)
        for entry in Corpus.entries("model-xml") {
            guard let url = entry.url?.deletingLastPathComponent(),
                let model = try? NSManagedObjectModel(validatingContentsOf: url)
            else { continue }
            models += 1
            model.prepareForUse()
            for configuration in [nil] + model.configurations.map(Optional.some) {
                for version in [241, 754, 1044, StoreEra.current.frameworkVersion, 1522] {
                    let connection = try SQLiteConnection(URL(fileURLWithPath: "/dev/null"), .memory)
                    do {
                        let schema = try SQLSchema(
                            model, configurationName: configuration, era: StoreEra(frameworkVersion: version))
                        try SQLStoreFile.create(schema, on: connection, identifier: "X")
                        stores += 1
                    } catch {
                        Issue.record("\(entry), \(configuration ?? "whole"), \(version): \(error)")
                    }
                }
            }
        }
        #expect(models > 150)
        print("Schemas: \(stores) stores made of \(models) models")
    }
}
