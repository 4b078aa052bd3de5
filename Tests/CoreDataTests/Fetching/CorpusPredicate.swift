import CoreData
import Foundation
import FoundationSupplement

/// A predicate of a real program, with arguments of the kinds that the program passes.
struct CorpusPredicate {
    let format: String
    let arguments: [Any?]
    private static let dates = (0..<3).map { Date(timeIntervalSinceReferenceDate: Double($0) * 1000) }

    /// Nil for expressions, and for what isn't a predicate.
    init?(_ line: Substring) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count > 5, columns[0] == "predicate", columns[5] == "valid" else { return nil }
        // Interpolations of the programs' own languages.
        var text = columns[1]
        while let start = text.range(of: ##"\\#(#keyPath("##),
            let end = text.range(of: "))", options: [], range: start.upperBound..<text.endIndex)
        { text.replaceSubrange(start.lowerBound..<end.upperBound, with: "x") }
        format = text.replacingOccurrences(of: #"\\(…)"#, with: "x")
        let kinds = columns[4].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let specifiers = columns[3].split(separator: ",").map(String.init)
        let operators = Self.words(before: specifiers, in: format)
        arguments = specifiers.indices.map { place in
            Self.argument(
                specifiers[place], kinds.indices.contains(place) ? kinds[place] : "", after: operators[place], place)
        }
    }

    /// The word before each specifier: it tells lists from single values.
    private static func words(before specifiers: [String], in format: String) -> [String] {
        var rest = format[...]
        return specifiers.map { specifier in
            guard let range = rest.range(of: specifier) else { return "" }
            let word = rest[..<range.lowerBound].split { $0 == " " || $0 == "(" }.last.map { $0.uppercased() } ?? ""
            rest = rest[range.upperBound...]
            return word
        }
    }

    private static func argument(_ specifier: String, _ kind: String, after word: String, _ place: Int) -> Any? {
        if specifier == "%K" { return "key\(place)" }
        if specifier != "%@" { return place + 1 }
        if word == "BETWEEN" { return kind == "date" ? [dates[0], dates[1]] : [1, 3] as [Any] }
        if word.hasPrefix("IN") {
            return kind.hasPrefix("uuid")
                ? PredicateDifferentialTests.uuids
                : kind == "number" || kind == "int" ? [1, 2] : ["a", "b"] as [Any]
        }
        switch kind {
        case "number", "int", "uint": return place + 1
        case "double": return 1.5
        case "date": return dates[place % 3]
        case "uuid?": return PredicateDifferentialTests.uuids[0]
        case "null": return nil
        default: return place.isMultiple(of: 2) ? "a" : "b"
        }
    }

    func predicate() throws -> NSPredicate { try NSPredicate(validating: format, arguments: arguments) }
}

/// The properties that a predicate's key paths need, and from which a model is made.
final class ModelShape {
    private var attributes: [String: NSAttributeType] = [:]
    private var relationships: [String: (shape: ModelShape, isToMany: Bool)] = [:]
    private typealias Comparison = FoundationSupplement.NSComparisonPredicate
    private typealias Expression = FoundationSupplement.NSExpression

    /// The predicate uses a name in two ways, or one that no property can have.
    struct Misfit: Error {}

    func note(_ predicate: NSPredicate) throws { try note(predicate, [:]) }

    private func note(_ predicate: NSPredicate, _ variables: [String: ModelShape]) throws {
        switch predicate {
        case let compound as Foundation.NSCompoundPredicate:
            for part in compound.subpredicates { try note(part, variables) }
        case let comparison as Comparison:
            let isText = [.contains, .beginsWith, .endsWith, .like, .matches].contains(comparison.predicateOperatorType)
            let isMany = comparison.comparisonPredicateModifier != .direct
            let (left, right) = (comparison.leftExpression, comparison.rightExpression)
            let fallback: NSAttributeType? = isText ? .stringAttributeType : nil
            try note(left, type(right) ?? fallback, isMany: isMany, variables)
            try note(right, type(left) ?? fallback, isMany: false, variables)
        default: break
        }
    }

    private func note(
        _ expression: Expression, _ type: NSAttributeType?, isMany: Bool, _ variables: [String: ModelShape]
    ) throws {
        switch expression.storage {
        case .keyPath(let start, let path):
            var shape: ModelShape? = self
            switch start?.storage {
            case .variable(let name): shape = variables[name]
            case nil, .evaluatedObject: break
            case .subquery:
                if let start { try note(start, nil, isMany: true, variables) }
                return
            default: shape = nil
            }
            guard let shape else { throw Misfit() }
            try shape.note(path, type, isMany: isMany)
        case .function(_, let target, let arguments):
            if let target { try note(target, nil, isMany: false, variables) }
            for argument in arguments { try note(argument, type, isMany: false, variables) }
        case .aggregate(let elements):
            for element in elements { try note(element, type, isMany: false, variables) }
        case .conditional(let predicate, let yes, let no):
            try note(predicate, variables)
            try note(yes, type, isMany: false, variables)
            try note(no, type, isMany: false, variables)
        case .subquery(let collection, let variable, let predicate):
            guard case .keyPath(let start, let path) = collection.storage else { throw Misfit() }
            var shape: ModelShape? = self
            if case .variable(let name) = start?.storage { shape = variables[name] }
            guard let inner = try shape?.relationship(path, isMany: true) else { throw Misfit() }
            var names = variables
            names[variable] = inner
            try note(predicate, names)
        default: break
        }
    }

    /// Notes a key path whose last key is an attribute, or a relationship in front of an operator.
    private func note(_ path: String, _ type: NSAttributeType?, isMany: Bool) throws {
        let steps = path.split(separator: ".").map(String.init).filter { $0 != "SELF" && $0 != "self" }
        if let place = steps.firstIndex(where: { $0.hasPrefix("@") }) {
            let inner = try relationship(steps[..<place].joined(separator: "."), isMany: true)
            let rest = steps[(place + 1)...].joined(separator: ".")
            if !rest.isEmpty { try inner.note(rest, .integer64AttributeType, isMany: false) }
            return
        }
        guard let last = steps.last else { return }
        let owner = try relationship(steps.dropLast().joined(separator: "."), isMany: isMany)
        guard Self.isUsable(last), owner.relationships[last] == nil else { throw Misfit() }
        let known = owner.attributes[last]
        if let known, let type, known != type, !(known.isNumeric && type.isNumeric) { throw Misfit() }
        if let type {
            // An index or a sum needs whole numbers only where all are.
            owner.attributes[last] = known.map { $0.isNumeric && type == .doubleAttributeType ? type : $0 } ?? type
        } else if known == nil {
            owner.undecided.insert(last)
        }
        if owner.attributes[last] != nil { owner.undecided.remove(last) }
    }

    private var undecided: Set<String> = []

    /// The shape at the end of relationships, the first of which may be to-many.
    private func relationship(_ path: String, isMany: Bool) throws -> ModelShape {
        var shape = self
        for (place, step) in path.split(separator: ".").map(String.init).filter({ $0 != "SELF" }).enumerated() {
            guard Self.isUsable(step), shape.attributes[step] == nil, !shape.undecided.contains(step) else {
                throw Misfit()
            }
            let wantsMany = isMany && place == 0
            let known = shape.relationships[step]
            if let known, known.isToMany != wantsMany, place == 0 { throw Misfit() }
            let next = known?.shape ?? ModelShape()
            shape.relationships[step] = (next, wantsMany)
            shape = next
        }
        return shape
    }

    private static func isUsable(_ name: String) -> Bool {
        name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            && !["objectID", "entity", "self", "SELF", "length", "count"].contains(name)
    }

    private func type(_ expression: Expression) -> NSAttributeType? {
        switch expression.storage {
        case .constant(let value):
            let sample = collectionElements(of: value)?.first ?? value
            switch PredicateValue(sample) {
            case .number(.integer): return .integer64AttributeType
            case .number: return .doubleAttributeType
            case .string: return .stringAttributeType
            case .date: return .dateAttributeType
            case .other(is UUID): return .UUIDAttributeType
            default: return nil
            }
        case .aggregate(let elements): return elements.lazy.compactMap { self.type($0) }.first
        case .function(let name, _, let arguments):
            if name == "now" { return .dateAttributeType }
            if ["uppercase:", "lowercase:", "canonical:"].contains(name) { return .stringAttributeType }
            if name == "castObject:toType:", case .constant(let target as String) = arguments.last?.storage {
                return target == "NSDate"
                    ? .dateAttributeType : target == "NSString" ? .stringAttributeType : .doubleAttributeType
            }
            return .doubleAttributeType
        case .conditional(_, let yes, let no): return type(yes) ?? type(no)
        default: return nil
        }
    }

    // MARK: The model

    /// The entities, the root's first.
    func entities() -> [NSEntityDescription] {
        var all: [NSEntityDescription] = []
        _ = build(&all)
        return all
    }

    private func build(_ all: inout [NSEntityDescription]) -> NSEntityDescription {
        for name in undecided { attributes[name] = .stringAttributeType }
        let entity = Build.entity(
            "E\(all.count)", attributes.sorted { $0.key < $1.key }.map { Build.attribute($0, $1) })
        all.append(entity)
        for (name, relationship) in relationships.sorted(by: { $0.key < $1.key }) {
            let destination = relationship.shape.build(&all)
            let inverse = "inverse_\(all.count)_\(name)"
            if relationship.isToMany {
                Build.relate(Build.many(entity, name), Build.one(destination, inverse))
            } else {
                Build.relate(Build.one(entity, name), Build.many(destination, inverse))
            }
        }
        return entity
    }
}

extension NSAttributeType {
    fileprivate var isNumeric: Bool { self == .integer64AttributeType || self == .doubleAttributeType }
}
