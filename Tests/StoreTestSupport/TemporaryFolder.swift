import Foundation

/// A folder that goes away with its last user.
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package let path: String

    /// Makes an empty folder.
    package init() {
        path = NSTemporaryDirectory() + "duramen-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder, which need not exist.
    package func file(_ name: String) -> String { path + "/" + name }
}

/// Makes a file with a text, or replaces it.
package func writeFile(_ path: String, _ text: String = "") throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}

/// The size of a file in bytes; 0 when there is none.
package func fileBytes(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
}
