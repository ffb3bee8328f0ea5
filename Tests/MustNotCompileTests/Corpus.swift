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
    static let mistakes = files(in: "Programs").map { Program(url: $0) }

    /// Programs that have no mistake.
    static let correct = files(in: "MustCompile").map { Program(url: $0) }

    /// Programs that Swift accepts although they are wrong.
    static let gaps = files(in: "KnownGaps").map { Program(url: $0) }

    /// Programs that the compiler does not survive.
    static let crashes = files(in: "CompilerCrashes")

    /// What the programs in KnownGaps run with.
    static let world = folder.appending(path: "World.swift")

    /// The Swift files in a folder of the corpus, in the order of their names.
    static func files(in name: String) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil)
        return (found ?? []).filter { $0.pathExtension == "swift" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// An empty folder for what is built, in the build folder, so that it goes with that.
    static func scratchFolder(_ name: String) throws -> URL {
        let folder = try BuildFolder.ofThisProcess().moduleCache.deletingLastPathComponent()
            .appending(path: "KnownGaps\(name)")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// The Swift files of a module of the package.
    static func sources(of module: String) -> [URL] {
        let enumerator = FileManager.default.enumerator(
            at: package.appending(path: "Sources/\(module)"), includingPropertiesForKeys: nil)
        return (enumerator?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }
}

/// A program, whose first lines say what is expected of it:
///
/// ```swift
/// // What the program is about.
/// // expected: a regular expression that each error matches
/// ```
/// Instead, `// expected warning:` stands where the compiler only warns; `// both warn:` is for
/// what it says about a mistake and its twin, which the condition `TWIN` chooses. A known gap has
/// `// warns:` for what the compiler says all the same, and `// stops:` for what ends it when it
/// runs. `// differs:` says that twin and mistake are several lines. `// flags:` are more options
/// of the compiler.
struct Program: Sendable, CustomTestStringConvertible {
    let url: URL
    let text: String

    init(url: URL) {
        self.url = url
        text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    }

    var name: String { url.deletingPathExtension().lastPathComponent }

    var testDescription: String { name }

    /// What a line of the header says; nil without the line.
    func header(_ name: String) -> String? {
        for line in text.split(separator: "\n").prefix(5) where line.hasPrefix("// \(name): ") {
            return String(line.dropFirst("// \(name): ".count))
        }
        return nil
    }

    /// Whether the compiler only warns.
    var onlyWarns: Bool { header("expected warning") != nil }

    /// What each diagnostic of the mistake matches.
    var expected: String? { header("expected") ?? header("expected warning") }

    /// Options of the compiler that the program needs.
    var flags: [String] { header("flags")?.split(separator: " ").map(String.init) ?? [] }

    /// The diagnostics among the given ones that are not about both the mistake and its twin.
    func ownDiagnostics(_ diagnostics: [Diagnostic]) throws -> [Diagnostic] {
        guard let tolerated = try header("both warn").map({ try Regex($0) }) else {
            return diagnostics
        }
        return diagnostics.filter {
            $0.severity == .error || $0.message.firstMatch(of: tolerated) == nil
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
}
