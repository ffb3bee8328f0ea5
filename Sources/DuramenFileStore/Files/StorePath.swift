public import DuramenStore
import Foundation

/// The path of a store as its user gives it.
public struct StorePath: Sendable {
    /// As it was given.
    public let path: String

    /// Checks a path before the operating system sees it.
    ///
    /// - Parameter example: What to name instead of nothing, such as "a file, such as
    ///   'sqlite:a.sqlite'".
    /// - Throws: `.invalidRequest`
    public init(_ path: String, example: String) throws(StoreError) {
        if path.isEmpty {
            throw StoreError(.invalidRequest, "The path of the store is empty; name \(example).")
        }
        // The operating system would take what stands before it for the whole path.
        if path.utf8.contains(0) {
            throw StoreError(
                .invalidRequest, "The path of the store has a null character; take it out.")
        }
        self.path = path
    }

    /// The folder that the store is in.
    public var parent: String { Self.folder(of: path) }

    /// The folder that a file is in.
    public static func folder(of path: String) -> String {
        // Foundation's own on Linux traps for a name of one character.
        if path.count == 1 { return path == "/" ? path : "." }
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    /// The name of a file in its folder.
    public static func name(of path: String) -> String {
        path.count == 1 ? path : (path as NSString).lastPathComponent
    }

    /// Makes sure that a store can be made where none is.
    ///
    /// - Throws: `.folderMissing`
    public func checkParent() throws(StoreError) {
        if SystemCalls.isFolder(parent) { return }
        throw StoreError(
            .folderMissing,
            "The folder of '\(path)' does not exist; make it before the store is opened.")
    }

    /// The error of a path that is a symbolic link.
    public var isLink: StoreError {
        StoreError(
            .foreignFile, "'\(path)' is a symbolic link. Give the path of its destination.")
    }
}
