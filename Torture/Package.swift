// swift-tools-version: 6.2
// Kills, faults and losses of power, as programs that anybody can run. A package of its own, so
// that nobody who uses the library resolves what it needs.
import PackageDescription

let package = Package(
    name: "duramen-torture",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "DuramenTorture", targets: ["DuramenTorture"]),
        // Loaded into workers before everything else; see TortureFaults/faults.c.
        .library(name: "TortureFaults", type: .dynamic, targets: ["TortureFaults"]),
    ],
    dependencies: [
        .package(name: "duramen", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CTortureSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "TortureFaults"),
        .executableTarget(
            name: "DuramenTorture",
            dependencies: [
                "CTortureSQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
                .product(name: "DuramenStore", package: "duramen"),
                .product(name: "DuramenTestKit", package: "duramen"),
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
