#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder that the files of a model are in, and none of them outside of it.
///
/// Models come from elsewhere. A link in one could show what is in any file of whoever reads it,
/// and a pipe would be waited for without an end.
struct BundleFolder {
    /// The folder as it was named.
    let path: String
    /// The folder itself; nil when there is none.
    private let resolved: String?

    /// Names a folder, which may be a link: whoever names it means where it leads.
    init(_ path: String) {
        self.path = path
        resolved = Self.resolved(path)
    }

    /// Reads a file of the folder, up to what no model file has.
    ///
    /// - Parameter name: Its path in the folder.
    /// - Returns: The bytes; nil when there is no such file.
    /// - Throws: ``ModelFileError`` `.unsafeFile` when a link leads out of the folder, or when it
    ///   is not a regular file; `.io`.
    func read(_ name: String) throws(ModelFileError) -> [UInt8]? {
        let file = "\(path)/\(name)"
        guard let own = try place(of: name) else { return nil }
        return try Self.read(own, called: file)
    }

    /// Whether there is something of the name, of whatever kind.
    ///
    /// - Throws: ``ModelFileError`` `.unsafeFile` when a link leads out of the folder.
    func contains(_ name: String) throws(ModelFileError) -> Bool { try place(of: name) != nil }

    /// Where a file of the folder is, without links; nil when it is nowhere.
    private func place(of name: String) throws(ModelFileError) -> String? {
        guard let resolved, let file = Self.resolved("\(path)/\(name)") else { return nil }
        if file.utf8.starts(with: (resolved + "/").utf8) { return file }
        throw ModelFileError(
            .unsafeFile, path: "\(path)/\(name)",
            "a link leads out of '\(path)'; put the file itself in its place.")
    }

    // MARK: - One file

    /// Reads a regular file, up to what no model file has.
    ///
    /// - Parameter name: What to call it in messages.
    static func read(_ path: String, called name: String) throws(ModelFileError) -> [UInt8] {
        // Opening a pipe would wait for somebody who writes to it.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if file < 0 {
            throw ModelFileError(.io, path: name, "the file cannot be read.")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ModelFileError(
                .unsafeFile, path: name,
                "is not a regular file; put a file with the text of a model in its place.")
        }
        return try readAll(file, called: name)
    }

    private static func readAll(
        _ file: Int32, called name: String
    ) throws(ModelFileError) -> [UInt8] {
        let most = MarkupLimits.bytes + 1
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < most {
            let count = block.withUnsafeMutableBytes {
                pread(file, $0.baseAddress, $0.count, off_t(bytes.count))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw ModelFileError(.io, path: name, "the file cannot be read.")
            }
            if count == 0 { break }
            bytes += block.prefix(count)
        }
        return bytes
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
