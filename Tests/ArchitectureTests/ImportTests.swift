import Foundation
import RegexBuilder
import Testing

/// The arrows between modules are imports; there are no others.
///
/// The build's own check accepts what is imported indirectly, so each file is read.
struct ImportTests {
    /// What each module may import of this package.
    static let arrows: [String: Set<String>] = [
        "DuramenArchives": [],
        "DuramenModel": ["DuramenArchives"],
        "DuramenQuery": ["DuramenModel"],
        "DuramenModelFile": ["DuramenModel", "DuramenQuery"],
        "DuramenGenerator": ["DuramenModelFile"],
        "DuramenStore": ["DuramenModel", "DuramenQuery"],
        "DuramenFileStore": ["CProcessor", "DuramenModel", "DuramenStore"],
        "DuramenMemory": ["DuramenModel", "DuramenQuery", "DuramenStore"],
        "DuramenSQL": ["DuramenModel", "DuramenQuery", "DuramenStore"],
        "DuramenSQLite": [
            "DuramenArchives", "DuramenFileStore", "DuramenModel", "DuramenQuery", "DuramenStore",
            "DuramenSQL", "CSQLite", "CZlib",
        ],
        "DuramenLMDB": [
            "DuramenFileStore", "DuramenModel", "DuramenQuery", "DuramenStore", "CLMDB",
            "CProcessor",
        ],
        "DuramenPostgres": [
            "DuramenModel", "DuramenQuery", "DuramenSQL", "DuramenStore", "CPostgres",
        ],
        "DuramenTestKit": ["DuramenModel", "DuramenQuery", "DuramenStore"],
        "Duramen": [
            "DuramenArchives", "DuramenModel", "DuramenQuery", "DuramenStore",
            "CSwiftRuntime",
        ],
        "DuramenTestSupport": ["Duramen", "DuramenMemory", "DuramenModel"],
        "DuramenMacros": ["Duramen"],
        "DuramenMacrosPlugin": [],
        "DuramenProgram": ["DuramenTool"],
        "DuramenPostgresProgram": ["DuramenPostgres", "DuramenTool"],
        "DuramenTool": [
            "Duramen", "DuramenFileStore", "DuramenModel", "DuramenModelFile", "DuramenQuery",
            "DuramenStore",
            "DuramenSQLite", "DuramenLMDB",
        ],
        "CLMDB": [],
        "CPostgres": [],
        "CProcessor": [],
        "CSQLite": [],
        "CSwiftRuntime": [],
        "CZlib": [],
    ]

    /// What each module may import of other packages.
    static let packages: [String: Set<String>] = [
        "DuramenMemory": ["HashTreeCollections"],
        "DuramenSQLite": ["Logging"],
        // The tool alone: a library must not bring a parser of arguments to its users.
        "DuramenTool": ["ArgumentParser"],
        "DuramenMacrosPlugin": [
            "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftCompilerPlugin",
            "SwiftDiagnostics", "SwiftParser",
        ],
    ]

    /// What belongs to the platform.
    static let platform: Set<String> = [
        "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl",
        "Darwin", "Observation",
    ]

    @Test func everyModuleHasItsArrows() throws {
        let modules = try FileManager.default.contentsOfDirectory(
            atPath: SourceFile.package.appending(path: "Sources").path)
        #expect(Set(modules.filter { !$0.hasPrefix(".") }) == Set(Self.arrows.keys))
    }

    @Test func filesImportAlongTheArrowsOnly() {
        #expect(!SourceFile.sources.isEmpty)
        for file in SourceFile.sources {
            let allowed = Self.platform
                .union(Self.arrows[file.module] ?? [])
                .union(Self.packages[file.module] ?? [])
            for imported in Self.imports(of: file) {
                #expect(allowed.contains(imported), "\(file.path) imports \(imported)")
            }
        }
    }

    /// The tests of every store use it, so it may know none of them.
    @Test func whatTestsShareImportsNoStore() {
        let allowed = Self.platform.union([
            "DuramenModel", "DuramenQuery", "DuramenStore", "DuramenTestKit",
        ])
        let files = SourceFile.swiftFiles(in: ["Tests/StoreTestSupport"])
        #expect(!files.isEmpty)
        for file in files {
            for imported in Self.imports(of: file) {
                #expect(allowed.contains(imported), "\(file.path) imports \(imported)")
            }
        }
    }

    @Test func arrowsMakeNoCircle() {
        var reached: [String: Set<String>] = Self.arrows
        for _ in Self.arrows {
            reached = reached.mapValues { $0.reduce($0) { $0.union(reached[$1] ?? []) } }
        }
        for (module, below) in reached { #expect(!below.contains(module)) }
    }

    @Test func nothingIsImportedForTests() {
        #expect(SourceFile.sources.flatMap { $0.places(of: /@testable|@_spi/) } == [])
    }

    @Test func oneFileReexports() {
        let files = SourceFile.sources.filter { !$0.places(of: /@_exported/).isEmpty }
        #expect(files.map(\.path) == ["Sources/Duramen/Exports.swift"])
    }

    /// Types are listed, so that an application does not see what only writers of stores need.
    /// Operators come with whole modules only, so the one with the predicates is not listed.
    @Test func oneModuleOfThisPackageIsReexportedAsAWhole() throws {
        let file = try #require(SourceFile.sources.first { $0.path.hasSuffix("/Exports.swift") })
        let whole = file.lines.filter { $0.firstMatch(of: /import \w+$/) != nil }
        #expect(whole == ["@_exported public import DuramenQuery"])
    }

    /// Otherwise a store of this package would have a way that others do not have.
    @Test(arguments: ["DuramenFileStore", "DuramenMemory"])
    func whatStoresShareIsPublic(in module: String) {
        let files = SourceFile.sources.filter { $0.module == module }
        #expect(!files.isEmpty)
        let access = /^\s*(?:@\w+ )*package\b/
        #expect(files.flatMap { $0.places(of: access) } == [])
    }

    /// The modules that a file imports.
    static func imports(of file: SourceFile) -> Set<String> {
        let statement = Regex {
            /^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+/
            /(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?/
            /(\w+)/
        }
        return Set(file.lines.compactMap { $0.firstMatch(of: statement).map { String($0.1) } })
    }
}
