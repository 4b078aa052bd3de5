import FoundationSupplement

/// Descriptions in Foundation's archives.
///
/// Models are full of cycles, on which Foundation's unarchiver on Linux overflows the stack. So a description goes in as
/// one piece of data: a compiled model that holds the description, and nothing else.
enum DescriptionCoding {
    private static let archiveKey = "CoreDataModel"
    private static let localizationKey = "CoreDataLocalization"
    private static let holder = "Entity"

    static func encode(_ model: NSManagedObjectModel, with coder: NSCoder) {
        coder.encode(ModelArchiveWriter.archive(model, form: .compiled) as NSData, forKey: archiveKey)
        if let localization = model.localizationDictionary,
            let data = try? JSONEncoder().encode(localization)
        {
            coder.encode(data as NSData, forKey: localizationKey)
        }
    }

    /// The entity with its inherited properties as its own.
    static func encode(_ entity: NSEntityDescription, with coder: NSCoder) {
        guard let copy = entity.copy() as? NSEntityDescription else { return }
        copy.properties = entity.properties.compactMap { $0.copy() as? NSPropertyDescription }
        copy.indexes = entity.indexes.map { $0.copy(in: copy) }
        encode(copy: copy, with: coder)
    }

    static func encode(_ property: NSPropertyDescription, with coder: NSCoder) {
        guard let copy = property.copy() as? NSPropertyDescription else { return }
        let entity = NSEntityDescription()
        entity.properties = [copy]
        encode(copy: entity, with: coder)
    }

    static func encode(_ index: NSFetchIndexDescription, with coder: NSCoder) {
        let properties = index.elements.compactMap(\.property).filter { !($0 is NSExpressionDescription) }
        let byName = Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let entity = NSEntityDescription()
        entity.properties = byName.values.compactMap { $0.copy() as? NSPropertyDescription }
        entity.indexes = [index.copy(in: entity)]
        encode(copy: entity, with: coder)
    }

    private static func encode(copy entity: NSEntityDescription, with coder: NSCoder) {
        if entity.name == nil { entity.name = holder }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        encode(model, with: coder)
    }

    /// The model of an archive; nil, and the error noted in the coder where that doesn't stop the program, for none.
    static func model(from coder: NSCoder) -> NSManagedObjectModel? {
        do {
            guard coder.containsValue(forKey: archiveKey),
                let data = coder.decodeObject(of: NSData.self, forKey: archiveKey)
            else {
                throw ModelFileError(path: "archive", reason: "holds no model")
            }
            let model = try ModelArchiveReader.read(data as Data, path: "archive")
            if coder.containsValue(forKey: localizationKey),
                let data = coder.decodeObject(of: NSData.self, forKey: localizationKey)
            {
                model.localizationDictionary = try JSONDecoder().decode([String: String].self, from: data as Data)
            }
            return model
        } catch {
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
            return nil
        }
    }

    /// The one property of an archive.
    static func property(from coder: NSCoder) -> NSPropertyDescription? {
        model(from: coder)?.entities.first?.declaredProperties.first
    }
}
