import FoundationSupplement

/// The hashes by which a store says which model it was made with.
///
/// The recipe was derived from models and hashes in public; each part below is verified against such pairs. Strings
/// enter as UTF-8 without length, numbers as 32 bits little-endian, all simply joined. Names sort by code unit.
package enum VersionHash {
    package static func hashes(of model: NSManagedObjectModel) -> [String: Data] {
        var known: [ObjectIdentifier: [UInt8]] = [:]
        var result: [String: Data] = [:]
        for entity in model.entities {
            guard let name = entity.name else { continue }
            result[name] = Data(hash(of: entity, known: &known))
        }
        return result
    }

    package static func checksum(_ hashes: [String: Data]) -> String {
        let joined = inNameOrder(hashes).flatMap { Array($0.value) }
        return Data(SHA2.sha256(joined)).base64EncodedString()
    }

    package static func digest(_ hashes: [String: Data]) -> String {
        let joined = inNameOrder(hashes).flatMap { Array($0.key.utf8) + Array($0.value) }
        return Data(SHA2.sha512(joined)).base64EncodedString()
    }

    private static func inNameOrder(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
        hashes.sorted { codeUnitOrder($0.key, $1.key) }
    }

    /// Whether a string comes before another by its UTF-16 code units.
    package static func codeUnitOrder(_ a: String, _ b: String) -> Bool {
        // The order of UTF-8 is the same unless characters beyond U+DFFF meet, and is faster to find.
        var (x, y) = (a.utf8.makeIterator(), b.utf8.makeIterator())
        while true {
            guard let right = y.next() else { return false }
            guard let left = x.next() else { return true }
            if left == right { continue }
            return max(left, right) < 0xee ? left < right : a.utf16.lexicographicallyPrecedes(b.utf16)
        }
    }

    package static func hash(of entity: NSEntityDescription) -> [UInt8] {
        var known: [ObjectIdentifier: [UInt8]] = [:]
        return hash(of: entity, known: &known)
    }

    private static func hash(of entity: NSEntityDescription, known: inout [ObjectIdentifier: [UInt8]]) -> [UInt8] {
        if let hash = known[ObjectIdentifier(entity)] { return hash }
        var bytes = Array((entity.name ?? "").utf8) + [entity.isAbstract ? 1 : 0]
        if let parent = entity.superentity { bytes += hash(of: parent, known: &known) }
        // Inherited properties count here as well as in the super-entity's hash.
        for property in entity.properties.sorted(by: { codeUnitOrder($0.name, $1.name) }) where !property.isTransient {
            switch property {
            case let attribute as NSAttributeDescription: bytes += hash(of: attribute)
            case let relationship as NSRelationshipDescription: bytes += hash(of: relationship)
            default: break
            }
        }
        bytes += (entity.versionHashModifier ?? "").utf8
        let constraints = entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }
        bytes += constraints.sorted(by: codeUnitOrder).joined().utf8
        let result = SHA2.sha256(bytes)
        known[ObjectIdentifier(entity)] = result
        return result
    }

    package static func base(of property: NSPropertyDescription) -> [UInt8] {
        var bytes = Array(property.name.utf8) + [property.isOptional ? 1 : 0, 0]
        bytes += (property.versionHashModifier ?? "").utf8
        return SHA2.sha256(bytes)
    }

    package static func hash(of attribute: NSAttributeDescription) -> [UInt8] {
        if let composite = attribute as? NSCompositeAttributeDescription {
            let elements = composite.elements.sorted { codeUnitOrder($0.name, $1.name) }
            return SHA2.sha256(elements.flatMap { hash(of: $0) })
        }
        if let derived = attribute as? NSDerivedAttributeDescription, let text = derived.derivationText {
            return SHA2.sha256(Array(text.utf8))
        }
        var bytes = base(of: attribute) + littleEndian(Int(attribute.attributeType.rawValue))
        if attribute.allowsExternalBinaryDataStorage { bytes.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
        return SHA2.sha256(bytes)
    }

    package static func hash(of relationship: NSRelationshipDescription) -> [UInt8] {
        var bytes = base(of: relationship)
        bytes += (relationship.destinationEntityName ?? "").utf8
        if relationship.inverseRelationship !== relationship {
            bytes += (relationship.inverseRelationshipName ?? "").utf8
        }
        bytes += littleEndian(relationship.maxCount) + littleEndian(relationship.minCount)
        if relationship.isOrdered { bytes += [1, 0] }
        return SHA2.sha256(bytes)
    }

    private static func littleEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { Array($0) }
    }
}
