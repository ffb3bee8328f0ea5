import Foundation
import Testing

/// Programs as users write them compile without a warning.
struct MustCompileTests {
    @Test(arguments: Corpus.correct)
    func aCorrectProgramCompiles(_ program: Program) async throws {
        let batch = try await Self.programs.value[program.flags]
        let diagnostics = try #require(batch?.diagnostics[program.url])
        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test func nothingIsSaidOfAnythingElse() async throws {
        for (flags, batch) in try await Self.programs.value {
            #expect(batch.others.isEmpty, "\(flags): \(batch.others)")
        }
    }

    private static let programs = Task {
        var batches: [[String]: Batch] = [:]
        for (flags, programs) in Dictionary(grouping: Corpus.correct, by: \.flags) {
            batches[flags] = try await Batch(
                programs.map(\.url), with: [Corpus.prelude], options: flags)
        }
        return batches
    }

    @Test func theExampleOfTheDesignCompilesAsPrinted() async throws {
        let files = Corpus.files(in: "MustCompile/DesignExample")
        #expect(files.map(\.lastPathComponent).contains("main.swift"))
        try await expectToCompile(files, options: [])
    }

    /// The compiler is the judge: it gives up where it would have to try too many combinations of
    /// operators, or two seconds. Many overloads of `==` and `+` together could make it try
    /// millions.
    @Test func aLongPredicateIsCheckedFast() async throws {
        func compile(scopes: Int) async throws -> Compilation {
            let file = try #require(
                Corpus.files(in: "MustCompile").first { $0.path.hasSuffix("MixedPredicate.swift") })
            return try await Compiler.ofThisBuild.get().compile(
                [Corpus.prelude, file],
                options: [
                    "-parse-as-library", "-Xfrontend", "-solver-expression-time-threshold=2",
                    "-Xfrontend", "-solver-scope-threshold=\(scopes)",
                ])
        }
        let compilation = try await compile(scopes: 5_000)
        #expect(compilation.succeeded, "\(compilation.output)")
        #expect(compilation.diagnostics.isEmpty, "\(compilation.output)")
        // It does give up when it may try less than is needed.
        #expect(try await !compile(scopes: 20).succeeded)
    }

    @Test func oneImportIsEnough() throws {
        let file = try #require(
            Corpus.files(in: "MustCompile").first { $0.path.hasSuffix("ImportDuramenAlone.swift") })
        let imports = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("import ") }
        #expect(imports == ["import Duramen"])
    }

    private func expectToCompile(_ files: [URL], options: [String]) async throws {
        let compilation = try await Compiler.ofThisBuild.get().compile(files, options: options)
        #expect(compilation.succeeded, "\(compilation.output)")
        #expect(compilation.diagnostics.isEmpty, "\(compilation.output)")
    }
}
