// swift-tools-version: 6.2
// What Duramen costs beside the C interfaces of SQLite and LMDB and beside GRDB. A package of its
// own, so that nobody who uses the library resolves its peers.
import PackageDescription

let package = Package(
    name: "duramen-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "duramen", path: ".."),
        .package(name: "duramen-growth", path: "Growth"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CBenchmarkSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CBenchmarkLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .executableTarget(
            name: "DuramenBenchmarks",
            dependencies: [
                "CBenchmarkSQLite", "CBenchmarkLMDB",
                .product(name: "CMeasure", package: "duramen-growth"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMacros", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
                .product(name: "DuramenStore", package: "duramen"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ]
)

// The settings of the library itself: its peers are called under the same rules.
for target in package.targets where target.type == .executable {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
