// swift-tools-version: 6.2
// Programs that libFuzzer drives. A package of its own, since they can be built with the fuzzer only.
import PackageDescription

let package = Package(
    name: "duramen-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duramen", path: "..")],
    targets: [
        .executableTarget(
            name: "PredicateFormatFuzzer",
            dependencies: [.product(name: "DuramenStore", package: "duramen")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                // libFuzzer brings the main function.
                .unsafeFlags(["-parse-as-library"]),
            ])
    ])
