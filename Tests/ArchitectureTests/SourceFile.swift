import Foundation

/// A text file of the package.
struct SourceFile: Sendable {
    /// The path from the package's root, such as `Sources/Duramen/Exports.swift`.
    let path: String
    let lines: [Substring]

    /// The module that a file in `Sources` belongs to.
    var module: String { String(path.split(separator: "/")[1]) }

    /// Whether a line is nothing but a comment.
    func isComment(_ index: Int) -> Bool {
        lines[index].trimmingPrefix(while: \.isWhitespace).hasPrefix("//")
    }

    /// Where lines of code, numbered from 1, contain a pattern: `path:line`.
    func places(of pattern: some RegexComponent) -> [String] {
        lines.indices.filter { !isComment($0) && lines[$0].firstMatch(of: pattern) != nil }
            .map { "\(path):\($0 + 1)" }
    }
}

extension SourceFile {
    /// The package's root.
    static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// All Swift files under `Sources`.
    static let sources = swiftFiles(in: ["Sources"])

    /// All Swift files under the given folders of the package.
    static func swiftFiles(in folders: [String]) -> [SourceFile] {
        files(in: folders) { $0.hasSuffix(".swift") }
    }

    /// The files under the given folders, without what builds leave in hidden ones.
    static func files(
        in folders: [String], where isWanted: (String) -> Bool
    ) -> [SourceFile] {
        var found: [SourceFile] = []
        for folder in folders {
            let enumerator = FileManager.default.enumerator(
                at: package.appending(path: folder), includingPropertiesForKeys: nil,
                options: [.skipsHiddenFiles])
            while let url = enumerator?.nextObject() as? URL {
                guard isWanted(url.lastPathComponent), let file = SourceFile(url) else { continue }
                found.append(file)
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The file at a path from the package's root; nil when there is none.
    init?(at path: String) { self.init(Self.package.appending(path: path)) }

    private init?(_ url: URL) {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
        let root = Self.package.path.hasSuffix("/") ? Self.package.path : Self.package.path + "/"
        path = String(url.path.trimmingPrefix(root))
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
