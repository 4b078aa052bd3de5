import FoundationSupplement

/// The inheritance of the classes that archives of models name, as `$classes` has it.
enum ArchivedClass {
    /// The class and its superclasses, the class first.
    static func chain(of name: String) -> [String] {
        var chain = [name]
        while let last = chain.last, let parent = parents[last] ?? PredicateArchiveClass.parents[last] {
            chain.append(parent)
        }
        return chain + ["NSObject"]
    }

    private static let parents = [
        "NSMutableDictionary": "NSDictionary",
        "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
        "NSKnownKeysDictionary": "NSMutableDictionary",
        "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy",
        "NSMutableArray": "NSArray",
        "NSMutableSet": "NSSet",
        "NSMutableString": "NSString",
        "NSDecimalNumberPlaceholder": "NSDecimalNumber",
        "NSDecimalNumber": "NSNumber",
        "NSNumber": "NSValue",
        "NSAttributeDescription": "NSPropertyDescription",
        "NSDerivedAttributeDescription": "NSAttributeDescription",
        "NSCompositeAttributeDescription": "NSAttributeDescription",
        "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription",
        "NSExpressionDescription": "NSPropertyDescription",
        "NSFetchRequest": "NSPersistentStoreRequest",
    ]
}
