// swift-tools-version: 6.2
// A store of one's own, in a package of its own: it sees what Duramen publishes, and nothing else.
import PackageDescription

let package = Package(
    name: "duramen-custom-store",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duramen", path: "../..")],
    targets: [
        .target(
            name: "JSONStore",
            dependencies: [
                .product(name: "DuramenFileStore", package: "duramen"),
                .product(name: "DuramenStore", package: "duramen"),
            ]),
        .executableTarget(
            name: "CustomStore",
            dependencies: ["JSONStore", .product(name: "Duramen", package: "duramen")]),
        .testTarget(
            name: "JSONStoreTests",
            dependencies: [
                "JSONStore",
                .product(name: "DuramenFileStore", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenStore", package: "duramen"),
                .product(name: "DuramenTestKit", package: "duramen"),
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
