public import DuramenStore
import Foundation

/// The path of a store as the user gives it.
public struct StorePath: Sendable {
    /// The path as given.
    public let path: String

    /// Checks a path before the operating system uses it.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - example: The example in the message about an empty path, such as "a file, such as
    ///     'sqlite:a.sqlite'".
    /// - Throws: `.invalidRequest`
    public init(_ path: String, example: String) throws(StoreError) {
        if path.isEmpty {
            throw StoreError(.invalidRequest, "The path of the store is empty; name \(example).")
        }
        // The operating system would use only the part before it.
        if path.utf8.contains(0) {
            throw StoreError(
                .invalidRequest, "The path of the store has a null character; take it out.")
        }
        self.path = path
    }

    /// The folder of the store.
    public var parent: String { Self.folder(of: path) }

    /// Returns the folder of a file.
    public static func folder(of path: String) -> String {
        // Foundation's own function on Linux traps for a name of one character.
        if path.count == 1 { return path == "/" ? path : "." }
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    /// Returns the name of a file in its folder.
    public static func name(of path: String) -> String {
        path.count == 1 ? path : (path as NSString).lastPathComponent
    }

    /// Checks that a new store can be created in its folder.
    ///
    /// - Throws: `.folderMissing`
    public func checkParent() throws(StoreError) {
        if SystemCalls.isFolder(parent) { return }
        throw StoreError(
            .folderMissing,
            "The folder of '\(path)' does not exist; make it before the store is opened.")
    }

    /// The error for a path that is a symbolic link.
    public var isLink: StoreError {
        StoreError(
            .foreignFile, "'\(path)' is a symbolic link. Give the path of its destination.")
    }
}
