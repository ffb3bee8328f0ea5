import Foundation

/// Files and folders of the trials.
enum FileSystem {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    static func copy(_ source: String, to destination: String) throws {
        try FileManager.default.copyItem(atPath: source, toPath: destination)
    }

    /// The bytes of a file that nobody in this process has open.
    static func bytes(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Gives a file other bytes, as many as it has; its identity and its times stay.
    static func rot(_ path: String, to bytes: [UInt8]) throws {
        var status = stat()
        guard stat(path, &status) == 0, Int(status.st_size) == bytes.count,
            let file = FileHandle(forWritingAtPath: path)
        else { throw TortureError("\(path) does not keep its size") }
        try file.write(contentsOf: Data(bytes))
        try file.close()
        #if canImport(Darwin)
        var times = [status.st_atimespec, status.st_mtimespec]
        #else
        var times = [status.st_atim, status.st_mtim]
        #endif
        guard utimensat(AT_FDCWD, path, &times, 0) == 0 else {
            throw TortureError("the times of \(path) cannot be set")
        }
    }

    /// A file of a copy that a migration works on, of its large values too; nil when there is none.
    static func leftCopy(in folder: String) -> String? {
        files(in: folder).first { $0.contains(".migrating") }
    }

    /// The size of a file in bytes; 0 when there is none.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The paths of the files in a folder and below, from the folder on, in order.
    static func files(in folder: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.filter { path in
            var status = stat()
            return stat("\(folder)/\(path)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }.sorted()
    }
}
