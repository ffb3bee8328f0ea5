public import Foundation

/// The files of the checkout that this was built from.
public enum Repository {
    /// The folder of the package.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file, by its path from the root.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The paths below a folder, from the root on, with an extension.
    public static func files(
        in folder: String, withExtension name: String
    ) throws -> [String] {
        // The folder itself may be a link, which the walk would not follow.
        let start = root.appending(path: folder).resolvingSymlinksInPath().path
        return try FileManager.default.subpathsOfDirectory(atPath: start)
            .filter { $0.hasSuffix(".\(name)") && !$0.contains(".build") }
            .map { "\(folder)/\($0)" }
            .sorted()
    }

    /// Whether there is something at a location.
    public static func exists(_ url: URL) -> Bool {
        FileManager.default.fileExists(atPath: url.path)
    }
}
