import Foundation
import Testing

/// The programs beside this target.
enum Corpus {
    /// The package's root.
    static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let folder = package.appending(path: "Tests/MustNotCompile")

    /// The managed classes that the programs have in common.
    static let prelude = folder.appending(path: "Prelude.swift")

    /// One program per mistake.
    static let mistakes = files(in: "Programs").map { MistakenProgram(url: $0) }

    /// Programs that have no mistake.
    static let correct = files(in: "MustCompile").map(\.lastPathComponent)

    /// The Swift files in a folder of the corpus, in the order of their names.
    static func files(in name: String) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil)
        return (found ?? []).filter { $0.pathExtension == "swift" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// The Swift files of a module of the package.
    static func sources(of module: String) -> [URL] {
        let enumerator = FileManager.default.enumerator(
            at: package.appending(path: "Sources/\(module)"), includingPropertiesForKeys: nil)
        return (enumerator?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }
}

/// A program with a mistake in it, and its twin without, chosen by the condition `TWIN`.
///
/// ```swift
/// // What the mistake is.
/// // expected: a regular expression that each error matches
/// ```
/// Instead, `// expected warning:` stands where the compiler only warns; `// both warn:` is for what
/// it says about the twin too.
struct MistakenProgram: Sendable, CustomTestStringConvertible {
    let url: URL
    let text: String

    init(url: URL) {
        self.url = url
        text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    }

    var testDescription: String { url.deletingPathExtension().lastPathComponent }

    /// Whether the compiler only warns.
    var onlyWarns: Bool { header("expected warning") != nil }

    /// What each diagnostic of the mistake matches.
    var expected: String? { header("expected") ?? header("expected warning") }

    /// What the compiler says about both, the mistake and its twin.
    var bothWarn: String? { header("both warn") }

    /// The diagnostics among the given ones that concern this file and are not about both.
    func diagnostics(of compilation: Compilation) throws -> [Diagnostic] {
        let tolerated = try bothWarn.map { try Regex($0) }
        return compilation.diagnostics.filter { diagnostic in
            guard diagnostic.file == url.path else { return false }
            guard let tolerated, diagnostic.severity == .warning else { return true }
            return diagnostic.message.firstMatch(of: tolerated) == nil
        }
    }

    /// How many lines the mistake and the twin have of their own, for each condition in the file.
    var differences: [(twin: Int, mistake: Int)] {
        var found: [(twin: Int, mistake: Int)] = []
        var isInside = false
        var isInMistake = false
        for line in text.split(separator: "\n") {
            switch line.trimmingPrefix(while: \.isWhitespace) {
            case "#if TWIN":
                found.append((0, 0))
                (isInside, isInMistake) = (true, false)
            case "#else": isInMistake = true
            case "#endif": isInside = false
            default:
                guard isInside else { continue }
                if isInMistake {
                    found[found.count - 1].mistake += 1
                } else {
                    found[found.count - 1].twin += 1
                }
            }
        }
        return found
    }

    private func header(_ name: String) -> String? {
        for line in text.split(separator: "\n").prefix(4) where line.hasPrefix("// \(name): ") {
            return String(line.dropFirst("// \(name): ".count))
        }
        return nil
    }
}
