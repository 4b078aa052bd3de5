// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "swift-core-data", path: "..")],
    targets: [
        .executableTarget(
            name: "FetchBenchmark", dependencies: [.product(name: "CoreData", package: "swift-core-data")]),
        .executableTarget(
            name: "GraphBenchmark", dependencies: [.product(name: "CoreData", package: "swift-core-data")]),
        .executableTarget(
            name: "QueryBenchmark", dependencies: [.product(name: "CoreData", package: "swift-core-data")]),
        .executableTarget(
            name: "ModelBenchmark", dependencies: [.product(name: "CoreData", package: "swift-core-data")]),
        .executableTarget(
            name: "PredicateBenchmark", dependencies: [.product(name: "CoreData", package: "swift-core-data")]),
    ],
    swiftLanguageModes: [.v6]
)
