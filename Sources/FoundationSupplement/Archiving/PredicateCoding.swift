/// Predicates, expressions and sort descriptors in Foundation's archives.
///
/// Linux's archiver names classes as Swift does and can't be told otherwise. So one of them goes in as one piece of data:
/// an archive in Apple's layout, which is read without Foundation.
enum PredicateCoding {
    private static let archiveKey = "NSPredicateArchive"

    static func encode(_ object: NSObject, with coder: NSCoder) {
        do {
            coder.encode(try SecureArchive.data(of: object) as NSData, forKey: archiveKey)
        } catch {
            misuse("\(error.localizedDescription)")
        }
    }

    /// The object of an archive; nil, and the error noted in the coder where that doesn't stop the program, for none.
    static func decode<Object: NSObject>(_ type: Object.Type, from coder: NSCoder) -> Object? {
        do {
            guard coder.containsValue(forKey: archiveKey),
                let data = coder.decodeObject(of: NSData.self, forKey: archiveKey) as Data?,
                let object = try SecureArchive.object(
                    in: data, classes: [NSPredicate.self, NSExpression.self, NSSortDescriptor.self]) as? Object
            else { throw SecureArchive.damaged("holds no \(type)") }
            if !coder.requiresSecureCoding { PredicateTree.setLock(false, of: object) }
            return object
        } catch {
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
            return nil
        }
    }
}

// The initialiser comes from the protocol that formats use: only there may it put a subclass in the place of `self`.

extension PredicateFormatInitializable {
    /// Reads a predicate from an archive. One that was read with secure coding can't be evaluated before
    /// `allowEvaluation()` is called.
    public init?(coder: NSCoder) {
        guard let result = PredicateCoding.decode(NSPredicate.self, from: coder) as? Self else { return nil }
        self = result
    }
}

extension NSPredicate: @retroactive NSSecureCoding {
    /// Predicates have secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the predicate into an archive.
    ///
    /// A predicate with a closure, or with a constant without secure coding, can't be archived: that is a programmer's
    /// error.
    public func encode(with coder: NSCoder) { PredicateCoding.encode(self, with: coder) }
}

extension KeyedSortDescriptorInitializable {
    /// Reads a sort descriptor from an archive. One that was read with secure coding can't sort before
    /// `allowEvaluation()` is called.
    public init?(coder: NSCoder) {
        guard let result = PredicateCoding.decode(NSSortDescriptor.self, from: coder) as? Self else { return nil }
        self = result
    }
}

extension NSSortDescriptor: @retroactive NSSecureCoding {
    /// Sort descriptors have secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the sort descriptor into an archive.
    ///
    /// One with a closure can't be archived: that is a programmer's error.
    public func encode(with coder: NSCoder) { PredicateCoding.encode(self, with: coder) }
}
