// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "swift-core-data",
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "FoundationSupplement", targets: ["FoundationSupplement"]),
        .library(name: "StartingData", targets: ["StartingData"]),
        .executable(name: "coredata", targets: ["coredata"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "FoundationSupplement"),
        .target(name: "ManagedObjectModel", dependencies: ["FoundationSupplement"]),
        .target(name: "CObjectReference"),
        .target(
            name: "CoreData",
            dependencies: ["CObjectReference", "CSQLite", "CZlib", "FoundationSupplement", "ManagedObjectModel"]),
        .target(name: "StartingData", dependencies: ["CoreData", "CZlib"]),
        .executableTarget(name: "coredata", dependencies: ["CoreData", "StartingData"]),
        .executableTarget(
            name: "LazyStackExample", dependencies: ["CoreData"], path: "Examples/LazyStack",
            exclude: ["Notes.xcdatamodeld"]),
        .executableTarget(
            name: "BasicDataModelExample", dependencies: ["CoreData"], path: "Examples/BasicDataModel",
            exclude: ["Places.xcdatamodeld", "Place.tsv"]),
        .executableTarget(
            name: "RepositoryExample", dependencies: ["CoreData"], path: "Examples/Repository",
            exclude: ["Events.xcdatamodeld"]),
        .executableTarget(
            name: "CategoryMergeExample", dependencies: ["CoreData"], path: "Examples/CategoryMerge",
            exclude: ["Catalogue.xcdatamodeld"]),
        .executableTarget(
            name: "LineFilterExample", dependencies: ["FoundationSupplement"], path: "Examples/LineFilter"),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "FoundationSupplementTests", dependencies: ["FoundationSupplement"]),
        .testTarget(
            name: "ManagedObjectModelTests", dependencies: ["CoreData", "ManagedObjectModel", "TestSupport"]),
        .testTarget(name: "CoreDataTests", dependencies: ["CoreData", "CSQLite", "TestSupport"]),
        .testTarget(name: "StartingDataTests", dependencies: ["StartingData", "TestSupport"]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "BasicDataModelExample", "CategoryMergeExample", "LazyStackExample", "LineFilterExample",
                "RepositoryExample", "coredata", "TestSupport",
            ]),
        .testTarget(name: "CommandLineTests", dependencies: ["coredata", "CoreData", "CSQLite", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

// Fuzzing (scripts/fuzz) needs flags that no package may ask of those who use it.
if Context.environment["FUZZ"] != nil {
    let flags = ["-sanitize=fuzzer,address"]
    for target in package.targets where target.name == "FoundationSupplement" {
        target.swiftSettings = [.unsafeFlags(flags)]
    }
    package.targets += [
        .target(name: "FuzzerDriver", path: "Fuzz/FuzzerDriver"),
        .executableTarget(
            name: "PredicateFuzzer", dependencies: ["FoundationSupplement", "FuzzerDriver"],
            path: "Fuzz/PredicateFuzzer", exclude: ["words.dict"], swiftSettings: [.unsafeFlags(flags)],
            linkerSettings: [.unsafeFlags(flags + ["-use-ld=lld"])]),
    ]
}
