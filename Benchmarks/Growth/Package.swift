// swift-tools-version: 6.2
// How the cost of a unit of work grows when there is ten times as much of it. A package of its own,
// without macros and without peers, so that it is built in a minute beside the library.
import PackageDescription

let package = Package(
    name: "duramen-growth",
    platforms: [.macOS(.v15)],
    products: [
        // The other benchmarks measure with it, too.
        .library(name: "CMeasure", targets: ["CMeasure"])
    ],
    dependencies: [
        .package(name: "duramen", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .target(name: "CMeasure"),
        .executableTarget(
            name: "DuramenGrowth",
            dependencies: [
                "CMeasure",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
            ]),
    ]
)

// The settings of the library itself.
for target in package.targets where target.type == .executable {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
