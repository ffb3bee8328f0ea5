// swift-tools-version: 6.2
// Programs that come up with questions by themselves. A package of its own, since those that
// libFuzzer drives can be built with the fuzzer only.
import PackageDescription

let package = Package(
    name: "duramen-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duramen", path: "..")],
    targets: [
        .executableTarget(
            name: "ArchiveFuzzer",
            dependencies: [.product(name: "DuramenStore", package: "duramen")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                // libFuzzer brings the main function.
                .unsafeFlags(["-parse-as-library"]),
            ]),
        .executableTarget(
            name: "KeyPathFuzzer",
            dependencies: [
                .product(name: "Duramen", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                // libFuzzer brings the main function.
                .unsafeFlags(["-parse-as-library"]),
            ]),
        .executableTarget(
            name: "ModelFileFuzzer",
            dependencies: [.product(name: "DuramenModelFile", package: "duramen")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                // libFuzzer brings the main function.
                .unsafeFlags(["-parse-as-library"]),
            ]),
        .executableTarget(
            name: "PredicateFormatFuzzer",
            dependencies: [.product(name: "DuramenStore", package: "duramen")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                // libFuzzer brings the main function.
                .unsafeFlags(["-parse-as-library"]),
            ]),
        // Without libFuzzer: it makes up its questions itself, and is to ask many.
        .executableTarget(
            name: "QueryCampaign",
            dependencies: [
                .product(name: "DuramenLMDB", package: "duramen"),
                .product(name: "DuramenMemory", package: "duramen"),
                .product(name: "DuramenSQLite", package: "duramen"),
                .product(name: "DuramenStore", package: "duramen"),
                .product(name: "DuramenTestKit", package: "duramen"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    ])
