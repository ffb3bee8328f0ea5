// swift-tools-version: 6.2
// A live list in a browser. A package of its own, so that nothing else waits for the web server to
// be built.
import PackageDescription

let package = Package(
    name: "duramen-live-list",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "duramen", path: "../.."),
        .package(name: "duramen-examples", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "LiveList",
            dependencies: [
                "LiveListKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Duramen", package: "duramen"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Packages", package: "duramen-examples"),
            ]),
        .target(
            name: "LiveListKit",
            dependencies: [
                .product(name: "Duramen", package: "duramen"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Packages", package: "duramen-examples"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("page.html")]),
        .testTarget(
            name: "LiveListTests",
            dependencies: [
                "LiveListKit",
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Packages", package: "duramen-examples"),
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
