// swift-tools-version: 6.2
// What the store on PostgreSQL costs beside libpq, which the same statements are sent by, and
// beside files. A package of its own, so that nobody else resolves or builds it.
import PackageDescription

let package = Package(
    name: "duramen-postgres-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "duramen", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CBenchmarkPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .executableTarget(
            name: "PostgresBenchmarks",
            dependencies: [
                "CBenchmarkPostgres",
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenPostgres", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
                .product(name: "DuramenStore", package: "duramen"),
                .product(name: "GRDB", package: "GRDB.swift"),
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
