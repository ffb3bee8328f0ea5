// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "duramen-examples",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "DebianPackages"),
        .target(name: "ExampleSupport"),
        .testTarget(name: "DebianPackagesTests", dependencies: ["DebianPackages"]),
        .testTarget(name: "ExampleSupportTests", dependencies: ["ExampleSupport"]),
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
