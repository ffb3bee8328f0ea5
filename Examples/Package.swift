// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "duramen-examples",
    platforms: [.macOS(.v15)],
    // For the examples that are packages of their own.
    products: [
        .library(
            name: "Packages",
            targets: [
                "DebianPackages", "ExampleOptions", "ExampleSupport", "PackageImport",
                "PackageModel",
            ])
    ],
    dependencies: [
        .package(name: "duramen", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "BatchImport",
            dependencies: [
                "DebianPackages", "ExampleSupport", "PackageImport", "PackageModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .executableTarget(
            name: "BackgroundTask",
            dependencies: [
                "ExampleOptions", "ExampleSupport", "PackageModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .executableTarget(
            name: "ConflictLab",
            dependencies: [
                "ExampleOptions", "ExampleSupport", "PackageModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .executableTarget(
            name: "EditSheet",
            dependencies: [
                "ExampleOptions", "ExampleSupport", "PackageModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .executableTarget(
            name: "FeedImport",
            dependencies: [
                "ExampleSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMacros", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
            ]),
        .executableTarget(
            name: "HistorySync",
            dependencies: [
                "DebianPackages", "ExampleSupport", "PackageImport", "PackageModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .executableTarget(
            name: "Migration",
            dependencies: [
                "DebianPackages",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
            ]),
        // Its classes are generated from the model file in its folder.
        .executableTarget(
            name: "ModelFile",
            dependencies: [
                "ExampleSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
            ],
            plugins: [.plugin(name: "ModelCodegen", package: "duramen")]),
        .executableTarget(
            name: "ResultsList",
            dependencies: [
                "ExampleOptions", "PackageImport", "ResultsListKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .target(
            name: "ResultsListKit",
            dependencies: [
                "ExampleSupport", "PackageModel",
                .product(name: "Duramen", package: "duramen"),
            ]),
        .target(
            name: "ExampleOptions",
            dependencies: [
                "DebianPackages", "PackageImport", "PackageModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
            ]),
        .target(
            name: "PackageImport",
            dependencies: [
                "DebianPackages", "ExampleSupport", "PackageModel",
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
            ]),
        .target(
            name: "PackageModel",
            dependencies: [
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMacros", package: "duramen"),
            ]),
        .target(name: "DebianPackages"),
        .target(name: "ExampleSupport"),
        .testTarget(
            name: "ConflictLabTests",
            dependencies: [
                "ConflictLab", "ExampleSupport", "PackageModel",
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ]),
        .testTarget(name: "DebianPackagesTests", dependencies: ["DebianPackages"]),
        .testTarget(
            name: "FeedImportTests",
            dependencies: [
                "FeedImport", .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ]),
        .testTarget(
            name: "MigrationTests",
            dependencies: [
                "DebianPackages", "Migration", .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ]),
        .testTarget(
            name: "ModelFileTests",
            dependencies: [
                "ModelFile", .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ]),
        .testTarget(name: "ExampleSupportTests", dependencies: ["ExampleSupport"]),
        // Runs the program itself, under a pseudo-terminal.
        .testTarget(
            name: "ResultsListTests",
            dependencies: [
                "DebianPackages", "PackageImport", "PackageModel", "ResultsList",
                "ResultsListKit", .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ]),
        .testTarget(
            name: "PackageImportTests",
            dependencies: [
                "DebianPackages", "PackageImport", "PackageModel",
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ]),
    ]
)

// One list of settings for every target, the same as the library's own.
for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// Whoever has no libpq leaves the store on PostgreSQL out.
if Context.environment["DURAMEN_WITHOUT_POSTGRES"] == nil {
    let target = package.targets.first { $0.name == "PackageImport" }
    target?.dependencies.append(.product(name: "DuramenPostgres", package: "duramen"))
}
