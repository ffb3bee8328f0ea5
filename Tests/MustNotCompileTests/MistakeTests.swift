import Foundation
import Testing

/// Confinement is proved by the compiler: each mistake is refused, and what should be written instead
/// is not.
struct MistakeTests {
    @Test(arguments: Corpus.mistakes)
    func aMistakeIsRefusedForTheRightReason(_ program: MistakenProgram) async throws {
        let expected = try Regex(#require(program.expected))
        let compilation = try await Compiler.ofThisBuild.get().compile(
            [Corpus.prelude, program.url], options: ["-parse-as-library"])
        let diagnostics = try program.diagnostics(of: compilation)
        let severity = program.onlyWarns ? Diagnostic.Severity.warning : .error
        #expect(diagnostics.contains { $0.severity == severity }, "\(compilation.output)")
        #expect(compilation.succeeded == program.onlyWarns)
        for diagnostic in diagnostics {
            #expect(diagnostic.severity == severity)
            #expect(diagnostic.message.firstMatch(of: expected) != nil, "\(diagnostic)")
        }
        let others = compilation.diagnostics.filter { $0.file != program.url.path }
        #expect(others.isEmpty, "\(others)")
    }

    @Test(arguments: Corpus.mistakes)
    func itsTwinCompiles(_ program: MistakenProgram) async throws {
        let diagnostics = try await program.diagnostics(of: Self.twins.value)
        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test func allTwinsCompileTogether() async throws {
        let compilation = try await Self.twins.value
        #expect(compilation.succeeded, "\(compilation.output)")
        let files = Set(Corpus.mistakes.map(\.url.path))
        let others = compilation.diagnostics.filter { !files.contains($0.file) }
        #expect(others.isEmpty, "\(others)")
    }

    @Test(arguments: Corpus.mistakes)
    func aTwinIsOneLineApart(_ program: MistakenProgram) throws {
        #expect(program.differences.count == 1)
        let difference = try #require(program.differences.first)
        #expect(difference.twin == 1)
        #expect(difference.mistake <= 1)
    }

    @Test func thereAreAtLeastTwentyFive() {
        #expect(Corpus.mistakes.count >= 25)
    }

    /// The twins have no name in common, so that one run of the compiler proves them all.
    private static let twins = Task {
        try await Compiler.ofThisBuild.get().compile(
            [Corpus.prelude] + Corpus.mistakes.map(\.url),
            options: ["-parse-as-library", "-D", "TWIN"])
    }
}
