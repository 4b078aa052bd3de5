import CoreData
import Testing

@Suite("coredata model hashes")
struct ModelHashesTests {
    @Test("A model and its store have the same hashes")
    func same() throws {
        let world = try World.withStore()
        let ofModel = try world.run("model", "hashes", "World.xcdatamodel", "--json")
        #expect(ofModel.status == 0, "\(ofModel.error)")
        #expect(try world.run("model", "hashes", "World.sqlite", "--json").output == ofModel.output)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(ofModel.output.utf8)) as? [String: Any])
        #expect(object["checksum"] as? String == world.model.versionChecksum)
        #expect(object["digest"] as? String == world.model.versionHashesDigest)
        let entities = try #require(object["entities"] as? [[String: String]])
        #expect(entities.compactMap { $0["name"] } == ["City", "Country", "Person", "Place"])
        #expect(entities.allSatisfy { $0["versionHash"]?.count == 64 })
    }

    @Test("For people")
    func text() throws {
        let world = try World()
        let run = try world.run("model", "hashes", "World.xcdatamodel")
        #expect(run.lines.contains("Checksum  \(world.model.versionChecksum)"))
        #expect(run.lines.contains { $0.hasPrefix("Country  ") })
    }
}
