import Foundation
import Testing

/// A store uses public interfaces only, so that anybody can write one.
///
/// Each store is compiled as if it were part of another package, so the compiler refuses what the
/// modules below it share within this package.
struct StoreInterfaceTests {
    @Test(arguments: [
        "DuramenMemory", "DuramenLMDB", "DuramenSQL", "DuramenSQLite", "DuramenFileStore",
        "DuramenTestKit",
    ])
    func aStoreUsesPublicInterfacesOnly(_ module: String) async throws {
        let compilation = try await compile(module)
        #expect(compilation.succeeded, "\(compilation.output)")
        #expect(compilation.diagnostics.isEmpty, "\(compilation.output)")
    }

    /// Compiles a module with the name of another package, and with it what is its own alone.
    private func compile(_ module: String) async throws -> Compilation {
        let compiler = try Compiler.ofThisBuild.get()
        let stranger = ["-package-name", "stranger"]
        guard module == "DuramenSQLite" else {
            return try await compiler.compile(
                Corpus.sources(of: module), options: stranger + ["-parse-as-library"])
        }
        let folder = try Corpus.scratchFolder("DuramenSQL")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let below = try await compiler.makeModule(
            "DuramenSQL", of: Corpus.sources(of: "DuramenSQL"), in: folder, options: stranger)
        try #require(below.succeeded, "\(below.output)")
        return try await compiler.compile(
            Corpus.sources(of: module), options: stranger + ["-parse-as-library"],
            modulesIn: folder)
    }
}
