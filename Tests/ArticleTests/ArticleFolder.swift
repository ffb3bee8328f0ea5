import Foundation

/// A folder for the files of one test, which is deleted with its last user.
final class ArticleFolder: Sendable {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "article-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file or folder in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }
}
