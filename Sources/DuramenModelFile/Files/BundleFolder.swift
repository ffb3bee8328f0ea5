#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder of a model's files, which never reads files outside of it.
///
/// Models may come from other people. A link in a model could reveal any file of the reader, and
/// opening a pipe could block forever.
struct BundleFolder {
    /// The path of the folder as the caller named it.
    let path: String
    /// The path without links; nil if the folder does not exist.
    private let resolved: String?

    /// Creates the folder of a path. The path itself may be a link, since the caller chose it.
    init(_ path: String) {
        self.path = path
        resolved = Self.resolved(path)
    }

    /// Reads a file of the folder, up to a size that model files do not have.
    ///
    /// - Parameter name: The path of the file in the folder.
    /// - Returns: The bytes; nil if the file does not exist.
    /// - Throws: ``ModelFileError`` `.unsafeFile` if a link points outside of the folder, or if it
    ///   is not a regular file; `.io`.
    func read(_ name: String) throws(ModelFileError) -> [UInt8]? {
        let file = "\(path)/\(name)"
        guard let own = try place(of: name) else { return nil }
        return try Self.read(own, called: file)
    }

    /// Returns whether an item of any kind has the name.
    ///
    /// - Throws: ``ModelFileError`` `.unsafeFile` if a link points outside of the folder.
    func contains(_ name: String) throws(ModelFileError) -> Bool { try place(of: name) != nil }

    /// Returns the path of a file in the folder, without links; nil if it does not exist.
    private func place(of name: String) throws(ModelFileError) -> String? {
        guard let resolved, let file = Self.resolved("\(path)/\(name)") else { return nil }
        if file.utf8.starts(with: (resolved + "/").utf8) { return file }
        throw ModelFileError(
            .unsafeFile, path: "\(path)/\(name)",
            "a link leads out of '\(path)'; put the file itself in its place.")
    }

    // MARK: - One file

    /// Reads a regular file, up to a size that model files do not have.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The name of the file in messages.
    static func read(_ path: String, called name: String) throws(ModelFileError) -> [UInt8] {
        // Opening a pipe would wait for a writer.
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
