import FoundationSupplement
import Testing

@testable import ManagedObjectModel

#if compiler(>=6.2)
/// Each change to a model in use stops a debug build with Apple's words.
@Suite("A model in use")
struct ImmutabilityTests {
    enum Change: String, CaseIterable, Codable, Sendable {
        case entities, configuration, template, versionIdentifiers, entityName, properties, indexes, indexName
        case indexElement, attributeType, defaultValue, relationship, elementOfComposite, request

        var words: String {
            self == .request
                ? "Can't modify a named fetch request in an immutable model." : "Can't modify an immutable model."
        }

        func make(_ model: NSManagedObjectModel) {
            let entity = model.entities.first { !$0.indexes.isEmpty }
            let properties = model.entities.flatMap(\.declaredProperties)
            let attribute = properties.lazy.compactMap { $0 as? NSAttributeDescription }.first
            switch self {
            case .entities: model.entities = []
            case .configuration: model.setEntities([], forConfigurationName: "x")
            case .template: model.setFetchRequestTemplate(nil, forName: "x")
            case .versionIdentifiers: model.versionIdentifiers = []
            case .entityName: entity?.name = "x"
            case .properties: entity?.properties = []
            case .indexes: entity?.indexes = []
            case .indexName: entity?.indexes.first?.name = "x"
            case .indexElement: entity?.indexes.first?.elements.first?.isAscending = false
            case .attributeType: attribute?.attributeType = .doubleAttributeType
            case .defaultValue: attribute?.defaultValue = 1
            case .relationship:
                properties.lazy.compactMap { $0 as? NSRelationshipDescription }.first?.deleteRule = .denyDeleteRule
            case .elementOfComposite:
                let composite = properties.lazy.compactMap { $0 as? NSCompositeAttributeDescription }.first
                composite?.elements.first?.name = "x"
            case .request: model.fetchRequestTemplatesByName.values.first?.fetchLimit = 3
            }
        }
    }

    @Test("can't be changed", arguments: Change.allCases)
    func change(_ change: Change) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [change] in
            let model = SampleModel.make()
            model.freeze()
            change.make(model)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(change.words))
    }

    @Test("takes a localization at any time")
    func localization() {
        let model = SampleModel.make()
        model.freeze()
        model.localizationDictionary = ["Entity/City": "Stadt"]
        #expect(model.localizationDictionary?.count == 1)
    }
}
#endif
