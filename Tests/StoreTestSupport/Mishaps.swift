import Foundation

/// What becomes of a file under an open store.
package enum FileMishap: CaseIterable, Sendable {
    case renamed, replaced, copied, deleted

    /// Lets it happen; `aside` is where the file goes unless it is deleted.
    package func strike(_ path: String, aside: String) throws {
        let manager = FileManager.default
        switch self {
        case .renamed: try manager.moveItem(atPath: path, toPath: aside)
        case .replaced:
            try manager.moveItem(atPath: path, toPath: aside)
            try writeFile(path, "something else")
        case .copied:
            // With the same bytes, and yet another file.
            try manager.moveItem(atPath: path, toPath: aside)
            try manager.copyItem(atPath: aside, toPath: path)
        case .deleted: try manager.removeItem(atPath: path)
        }
    }
}

/// What becomes of the folder of an open store.
package enum FolderMishap: CaseIterable, Sendable {
    case renamed, emptied, replaced

    /// Lets it happen; `aside` is where the folder goes, and `makeStore` makes another one in its place.
    package func strike(_ path: String, aside: String, makeStore: () throws -> Void) throws {
        let manager = FileManager.default
        try manager.moveItem(atPath: path, toPath: aside)
        if self == .renamed { return }
        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        if self == .replaced { try makeStore() }
    }
}
