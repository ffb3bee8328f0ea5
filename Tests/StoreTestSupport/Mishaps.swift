package import Foundation

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

/// Bits that rot on a disk: bytes of a file become others, and its size, identity and times stay.
package func rot(_ path: String, _ change: (inout Data) throws -> Void) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
    let url = URL(filePath: path)
    var data = try Data(contentsOf: url)
    let count = data.count
    try change(&data)
    precondition(data.count == count, "What rots keeps its size.")
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: data)
    try file.close()
    #if canImport(Darwin)
    var times = [status.st_atimespec, status.st_mtimespec]
    #else
    var times = [status.st_atim, status.st_mtim]
    #endif
    guard utimensat(AT_FDCWD, path, &times, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
}

/// What becomes of the folder of an open store.
package enum FolderMishap: CaseIterable, Sendable {
    case renamed, emptied, replaced

    /// Lets it happen; `aside` is where the folder goes, and `makeStore` makes another one in its
    /// place.
    package func strike(_ path: String, aside: String, makeStore: () throws -> Void) throws {
        let manager = FileManager.default
        try manager.moveItem(atPath: path, toPath: aside)
        if self == .renamed { return }
        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        if self == .replaced { try makeStore() }
    }
}
