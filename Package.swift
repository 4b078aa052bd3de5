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
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "FoundationSupplementTests", dependencies: ["FoundationSupplement"]),
        .testTarget(
            name: "ManagedObjectModelTests", dependencies: ["CoreData", "ManagedObjectModel", "TestSupport"]),
        .testTarget(name: "CoreDataTests", dependencies: ["CoreData", "CSQLite", "TestSupport"]),
        .testTarget(name: "StartingDataTests", dependencies: ["StartingData", "TestSupport"]),
        .testTarget(name: "CommandLineTests", dependencies: ["coredata", "CoreData", "CSQLite", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
