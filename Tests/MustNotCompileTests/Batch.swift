import Foundation

/// Many programs compiled together, since starting the compiler takes longer than most of them.
///
/// The compiler stops after the stage in which it finds errors, so programs that are refused in a
/// later one would hide behind those that are refused in an earlier one. Programs with errors are
/// set aside, and the others compiled again, until none is refused.
struct Batch: Sendable {
    /// What was said of each program; without errors of those that compile.
    private(set) var diagnostics: [URL: [Diagnostic]] = [:]
    /// What concerns no program, and so should be empty.
    private(set) var others: [Diagnostic] = []

    /// - Parameters:
    ///   - files: Their names at file scope are private, or different.
    ///   - shared: Files that are compiled with them.
    init(_ files: [URL], with shared: [URL], options: [String]) async throws {
        let compiler = try Compiler.ofThisBuild.get()
        var left = files
        while !left.isEmpty {
            let compilation = try await compiler.compile(
                shared + left, options: ["-parse-as-library"] + options)
            let found = Dictionary(grouping: compilation.diagnostics, by: \.file)
            others += compilation.diagnostics.filter { diagnostic in
                !left.contains { $0.path == diagnostic.file }
            }
            let refused = left.filter {
                found[$0.path]?.contains { $0.severity == .error } ?? false
            }
            if refused.isEmpty {
                for file in left { diagnostics[file] = found[file.path] ?? [] }
                if compilation.succeeded { return }
                throw CompilerGaveUp(compilation)
            }
            for file in refused { diagnostics[file] = found[file.path] }
            left.removeAll(where: refused.contains)
        }
    }
}

/// The compiler failed without an error in any program.
struct CompilerGaveUp: Error, CustomStringConvertible {
    let output: String

    init(_ compilation: Compilation) {
        let lines = compilation.output.split(separator: "\n").filter { $0.contains("error:") }
        output =
            lines.isEmpty ? String(compilation.output.suffix(2_000)) : lines.joined(separator: "\n")
    }

    var description: String { "The compiler failed without an error in a program: \(output)" }
}
