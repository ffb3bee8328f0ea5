import Foundation
import Testing

/// What Swift accepts although it is wrong. When a test of these fails, Swift has closed a gap:
/// move the program to those that must not compile, and mend the article
/// ContextsAndConcurrency.
@Suite struct KnownGapTests {
    @Test(arguments: Corpus.gaps)
    func swiftStillAcceptsTheProgram(_ program: Program) async throws {
        let batch = try await Self.programs.value.first { $0.flags == program.flags }
        let diagnostics = try #require(batch?.batch.diagnostics[program.url])
        let warned = try program.header("warns").map { try Regex($0) }
        for diagnostic in diagnostics {
            #expect(diagnostic.severity == .warning, "\(diagnostic)")
            let isExpected = warned.map { diagnostic.message.firstMatch(of: $0) != nil }
            #expect(isExpected == true, "\(diagnostic)")
        }
        #expect(diagnostics.isEmpty == (warned == nil))
    }

    @Test(arguments: Corpus.gaps.filter { $0.header("stops") != nil })
    func theProgramIsStoppedWhileItRuns(_ program: Program) async throws {
        let built = try await Self.programs.value.first { $0.flags == program.flags }
        let place = try #require(built?.place)
        let (status, output) = try runProcess(place, [program.name])
        #expect(status != 0, "\(output)")
        let stop = try Regex(#require(program.header("stops")))
        #expect(output.firstMatch(of: stop) != nil, "\(output)")
    }

    /// Programs that crash the compiler prove nothing. This fails once they no longer crash it.
    @Test(arguments: Corpus.crashes)
    func theCompilerStillCrashes(_ url: URL) async throws {
        let compilation = try await Compiler.ofThisBuild.get().compile(
            [Corpus.prelude, url], options: ["-parse-as-library"])
        #expect(!compilation.succeeded)
        #expect(!compilation.diagnostics.contains { $0.severity == .error && $0.file == url.path })
    }

    private struct Built: Sendable {
        let flags: [String]
        let batch: Batch
        /// The program, which runs the gap that it is given by name.
        let place: URL
    }

    /// One program for all gaps with the same options.
    private static let programs = Task {
        var built: [Built] = []
        for (flags, programs) in Dictionary(grouping: Corpus.gaps, by: \.flags) {
            let files = programs.map(\.url)
            let shared = [Corpus.prelude, Corpus.world]
            let batch = try await Batch(files, with: shared, options: flags)
            let folder = try Corpus.scratchFolder(flags.joined())
            let main = folder.appending(path: "Main.swift")
            try mainFile(programs).write(to: main, atomically: true, encoding: .utf8)
            let place = folder.appending(path: "gaps")
            let compilation = try await Compiler.ofThisBuild.get().buildProgram(
                shared + files + [main], options: flags, at: place)
            if !compilation.succeeded { throw CompilerGaveUp(compilation) }
            built.append(Built(flags: flags, batch: batch, place: place))
        }
        return built
    }

    private static func mainFile(_ programs: [Program]) -> String {
        let cases = programs.map { #"        case "\#($0.name)": try await gap\#($0.name)(world)"# }
        return """
            @main struct Main {
                static func main() async throws {
                    let world = try World()
                    switch CommandLine.arguments[1] {
            \(cases.joined(separator: "\n"))
                    default: fatalError("There is no such program.")
                    }
                }
            }
            """
    }
}
