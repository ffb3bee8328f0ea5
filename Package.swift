// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "duramen",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Duramen", targets: ["Duramen"]),
        // For those who write a store that keeps files: their locks, large values, held snapshots.
        .library(name: "DuramenFileStore", targets: ["DuramenFileStore"]),
        .library(name: "DuramenLMDB", targets: ["DuramenLMDB"]),
        .library(name: "DuramenMacros", targets: ["DuramenMacros"]),
        .library(name: "DuramenMemory", targets: ["DuramenMemory"]),
        .library(name: "DuramenModelFile", targets: ["DuramenModelFile"]),
        .library(name: "DuramenPostgres", targets: ["DuramenPostgres"]),
        .library(name: "DuramenSQLite", targets: ["DuramenSQLite"]),
        // For those who write a store: the protocol and what its values are made of.
        .library(
            name: "DuramenStore",
            targets: ["DuramenArchives", "DuramenModel", "DuramenQuery", "DuramenStore"]),
        .library(name: "DuramenTestKit", targets: ["DuramenTestKit"]),
        // For the tests of applications: containers in memory, fixtures and snapshots.
        .library(name: "DuramenTestSupport", targets: ["DuramenTestSupport"]),
        // Generates the classes of the model files in a target.
        .plugin(name: "ModelCodegen", targets: ["ModelCodegen"]),
        // Checks them, and the literals in the sources beside them.
        .plugin(name: "ModelCheck", targets: ["ModelCheck"]),
        // What is in a store's files, on the command line.
        .executable(name: "duramen", targets: ["DuramenProgram"]),
        // The same for stores on PostgreSQL.
        .executable(name: "duramen-postgres", targets: ["DuramenPostgresProgram"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    ],
    targets: [
        // Reads and writes what NSKeyedArchiver writes.
        .target(name: "DuramenArchives"),
        .target(name: "DuramenModel", dependencies: ["DuramenArchives"]),
        .target(name: "DuramenQuery", dependencies: ["DuramenModel"]),
        .target(name: "DuramenModelFile", dependencies: ["DuramenModel", "DuramenQuery"]),
        // What the plugin runs; it needs no store, so that a build of it is short.
        .executableTarget(name: "DuramenGenerator", dependencies: ["DuramenModelFile"]),
        .plugin(
            name: "ModelCodegen", capability: .buildTool(), dependencies: ["DuramenGenerator"]),
        .plugin(
            name: "ModelCheck",
            capability: .command(
                intent: .custom(
                    verb: "model-check",
                    description: "Checks model files, and literals in sources against them.")),
            dependencies: ["DuramenGenerator"]),
        .target(name: "DuramenStore", dependencies: ["DuramenModel", "DuramenQuery"]),
        // What stores in files share.
        .target(
            name: "DuramenFileStore",
            dependencies: ["DuramenModel", "DuramenStore", "CProcessor"]),
        // Instructions that the language has no words for.
        .systemLibrary(name: "CProcessor"),
        // References counted in ways that the language has no words for.
        .systemLibrary(name: "CSwiftRuntime"),
        .target(
            name: "Duramen",
            dependencies: [
                "DuramenArchives", "DuramenModel", "DuramenQuery", "DuramenStore",
                "CSwiftRuntime",
            ]),
        .target(
            name: "DuramenMemory",
            dependencies: [
                "DuramenModel", "DuramenQuery", "DuramenStore",
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ]),
        .target(
            name: "DuramenSQL", dependencies: ["DuramenModel", "DuramenQuery", "DuramenStore"]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(
            name: "DuramenSQLite",
            dependencies: [
                "DuramenArchives", "DuramenFileStore", "DuramenModel", "DuramenQuery",
                "DuramenStore", "DuramenSQL", "CSQLite", "CZlib",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .systemLibrary(
            name: "CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .target(
            name: "DuramenLMDB",
            dependencies: [
                "DuramenFileStore", "DuramenModel", "DuramenQuery", "DuramenStore", "CLMDB",
                "CProcessor",
            ]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "DuramenPostgres",
            dependencies: [
                "DuramenModel", "DuramenQuery", "DuramenSQL", "DuramenStore", "CPostgres",
            ]),
        .macro(
            name: "DuramenMacrosPlugin",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
            ]),
        .target(name: "DuramenMacros", dependencies: ["Duramen", "DuramenMacrosPlugin"]),
        .target(
            name: "DuramenTestKit", dependencies: ["DuramenModel", "DuramenQuery", "DuramenStore"]),
        .target(
            name: "DuramenTestSupport",
            dependencies: ["Duramen", "DuramenMemory", "DuramenModel"]),
        // No test of a build with macros can import a program, so this one is a few lines.
        .executableTarget(name: "DuramenProgram", dependencies: ["DuramenTool"]),
        // Another program, so that nobody links libpq who does not need it.
        .executableTarget(
            name: "DuramenPostgresProgram", dependencies: ["DuramenPostgres", "DuramenTool"]),
        .target(
            name: "DuramenTool",
            dependencies: [
                "Duramen", "DuramenFileStore", "DuramenModel", "DuramenModelFile", "DuramenQuery",
                "DuramenStore", "DuramenSQLite", "DuramenLMDB",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // What the tests of several stores share.
        .target(
            name: "StoreTestSupport",
            dependencies: ["DuramenModel", "DuramenQuery", "DuramenStore", "DuramenTestKit"],
            path: "Tests/StoreTestSupport"),
        .testTarget(
            name: "DuramenArchivesTests",
            dependencies: ["DuramenArchives", "DuramenTestKit", "StoreTestSupport"]),
        .testTarget(
            name: "DuramenModelTests",
            dependencies: ["DuramenArchives", "DuramenModel", "DuramenTestKit", "StoreTestSupport"]),
        // Its model is compiled by the plugin, as a consumer's is.
        .testTarget(
            name: "GeneratedModelTests",
            dependencies: ["Duramen", "DuramenMemory", "DuramenModelFile"],
            plugins: ["ModelCodegen"]),
        .testTarget(
            name: "DuramenModelFileTests",
            dependencies: ["DuramenModel", "DuramenQuery", "DuramenModelFile", "StoreTestSupport"]),
        .testTarget(
            name: "DuramenQueryTests",
            dependencies: ["DuramenModel", "DuramenQuery", "StoreTestSupport"]),
        // The query language on every store.
        .testTarget(
            name: "StoreQueryTests",
            dependencies: [
                "DuramenModel", "DuramenQuery", "DuramenStore", "DuramenLMDB", "DuramenMemory",
                "DuramenSQLite", "DuramenTestKit", "StoreTestSupport",
            ]),
        .testTarget(
            name: "DuramenTests",
            dependencies: [
                "Duramen", "DuramenArchives", "DuramenFileStore", "DuramenLMDB", "DuramenMemory",
                "DuramenModel", "DuramenQuery", "DuramenSQLite", "DuramenStore", "DuramenTestKit",
                "StoreTestSupport", "CSQLite",
            ]),
        .testTarget(
            name: "DuramenMacrosPluginTests",
            dependencies: [
                "DuramenMacrosPlugin",
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ]),
        // Managed classes that those of the tests inherit from, across modules.
        .target(
            name: "DuramenMacrosTestSupport", dependencies: ["Duramen", "DuramenMacros"],
            path: "Tests/DuramenMacrosTestSupport"),
        // The programs that the documents show. A test compares them with the documents and runs
        // them.
        .executableTarget(
            name: "ReadmeProgram", dependencies: ["Duramen", "DuramenMacros", "DuramenSQLite"],
            path: "Tests/Programs/Readme"),
        .executableTarget(
            name: "ShelfBegunProgram", dependencies: ["Duramen", "DuramenMacros", "DuramenSQLite"],
            path: "Tests/Programs/ShelfBegun"),
        .executableTarget(
            name: "ShelfProgram",
            dependencies: ["Duramen", "DuramenLMDB", "DuramenMacros", "DuramenSQLite"],
            path: "Tests/Programs/Shelf"),
        .executableTarget(
            name: "ShelfOnLMDBProgram",
            dependencies: ["Duramen", "DuramenLMDB", "DuramenMacros", "DuramenSQLite"],
            path: "Tests/Programs/ShelfOnLMDB"),
        .executableTarget(
            name: "BoardBegunProgram",
            dependencies: ["Duramen", "DuramenMacros", "DuramenMemory"],
            path: "Tests/Programs/BoardBegun"),
        .executableTarget(
            name: "BoardProgram", dependencies: ["Duramen", "DuramenMacros", "DuramenMemory"],
            path: "Tests/Programs/Board"),
        .testTarget(
            name: "DuramenMacrosTests",
            dependencies: [
                "Duramen", "DuramenMacros", "DuramenMacrosTestSupport", "DuramenMemory",
                "DuramenSQLite",
            ]),
        .testTarget(name: "ArchitectureTests"),
        // The code of the articles in Sources/*/*.docc; see Snippets.swift in DocumentationSupport.
        .testTarget(
            name: "ArticleTests",
            dependencies: [
                "DocumentationSupport", "Duramen", "DuramenLMDB", "DuramenMacros", "DuramenMemory",
                "DuramenModel", "DuramenModelFile", "DuramenPostgres", "DuramenQuery",
                "DuramenSQLite", "DuramenStore", "DuramenTestKit", "DuramenTestSupport", "CSQLite",
            ]),
        // The articles, their code, and what DocC reads.
        .target(name: "DocumentationSupport", path: "Tests/DocumentationSupport"),
        .executableTarget(
            name: "DocumentationTool",
            dependencies: [
                "DocumentationSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/DocumentationTool"),
        .testTarget(
            name: "DocumentationTests", dependencies: ["DocumentationSupport"],
            exclude: ["ProseExceptions.txt"]),
        // Compiles the programs in Tests/MustNotCompile against the modules it depends on.
        .testTarget(
            name: "MustNotCompileTests",
            dependencies: [
                "Duramen", "DuramenFileStore", "DuramenLMDB", "DuramenMacros", "DuramenMemory",
                "DuramenSQL", "DuramenSQLite", "DuramenTestKit", "StoreTestSupport",
            ]),
        .testTarget(
            name: "DuramenMemoryTests",
            dependencies: [
                "DuramenModel", "DuramenQuery", "DuramenStore", "DuramenMemory", "DuramenTestKit",
                "StoreTestSupport",
            ]),
        .testTarget(
            name: "DuramenLMDBTests",
            dependencies: [
                "DuramenFileStore", "DuramenModel", "DuramenQuery", "DuramenStore", "DuramenLMDB",
                "DuramenMemory",
                "DuramenSQLite", "DuramenTestKit", "StoreTestSupport",
                "CProcessor",
            ]),
        .testTarget(
            name: "DuramenSQLTests",
            dependencies: ["DuramenModel", "DuramenQuery", "DuramenSQL", "DuramenStore"]),
        .testTarget(
            name: "DuramenSQLiteTests",
            dependencies: [
                "DuramenFileStore", "DuramenArchives", "DuramenModel", "DuramenModelFile",
                "DuramenQuery",
                "DuramenStore",
                "DuramenSQLite", "DuramenLMDB", "DuramenMemory", "DuramenTestKit",
                "StoreTestSupport",
                "CSQLite", "CZlib",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "DuramenPostgresTests",
            dependencies: [
                "DuramenMemory", "DuramenModel", "DuramenPostgres", "DuramenQuery", "DuramenSQL",
                "DuramenStore", "DuramenTestKit", "StoreTestSupport", "CPostgres",
            ]),
        // Runs the tool itself.
        .testTarget(
            name: "DuramenToolTests",
            dependencies: [
                "DuramenModel", "DuramenQuery", "DuramenStore", "DuramenSQLite", "DuramenLMDB",
                "DuramenMemory", "DuramenModelFile", "DuramenTestKit", "DuramenTool",
                "DuramenProgram", "DocumentationSupport", "StoreTestSupport", "CSQLite",
            ]),
        .testTarget(
            name: "DuramenTestKitTests",
            dependencies: [
                "DuramenModel", "DuramenQuery", "DuramenStore", "DuramenMemory", "DuramenTestKit",
                "StoreTestSupport",
            ]),
        .testTarget(
            name: "DuramenTestSupportTests",
            dependencies: [
                "Duramen", "DuramenLMDB", "DuramenMemory", "DuramenSQLite", "DuramenTestKit",
                "DuramenTestSupport", "StoreTestSupport",
            ]),
    ]
)

// Building swift-syntax takes minutes, and with a sanitizer many; whoever needs no macros leaves
// them out.
if Context.environment["DURAMEN_WITHOUT_MACROS"] != nil {
    leaveOut("Macros")
    package.dependencies.removeLast()
}

// Whoever has no libpq leaves the store on PostgreSQL out.
if Context.environment["DURAMEN_WITHOUT_POSTGRES"] != nil { leaveOut("Postgres") }

/// Removes the targets whose names contain a word, and the targets that depend on one of them.
@MainActor func leaveOut(_ word: String) {
    let targets = package.targets.filter { target in
        target.name.contains(word)
            || target.dependencies.contains { dependency in
                if case .byNameItem(let name, _) = dependency { name.contains(word) } else { false }
            }
    }
    let names = targets.map(\.name)
    package.targets.removeAll { names.contains($0.name) }
    package.products.removeAll { product in
        let own =
            (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets
        return own?.contains(where: names.contains) == true
    }
}

// Does without the function of Swift's runtime that CSwiftRuntime declares.
let isPlain = Context.environment["DURAMEN_PLAIN_RUNTIME"] != nil
if isPlain {
    package.targets.removeAll { $0.name == "CSwiftRuntime" }
    let core = package.targets.first { $0.name == "Duramen" }
    core?.dependencies.removeAll { dependency in
        if case .byNameItem("CSwiftRuntime", _) = dependency { true } else { false }
    }
}

// One list of settings for every Swift target, so that no module is laxer than another.
for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if isPlain { target.swiftSettings?.append(.define("DURAMEN_PLAIN_RUNTIME")) }
}
