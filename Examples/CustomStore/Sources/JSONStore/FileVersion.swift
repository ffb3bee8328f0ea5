import DuramenFileStore
import DuramenStore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One version of a file that is only ever replaced.
///
/// It is held open, so that the system gives its number to no other file meanwhile: a look at the
/// path then tells for certain whether the file was replaced.
final class FileVersion: Sendable {
    private let file: Int32
    private let identity: FileIdentity

    /// Takes over what `open` returned.
    private init(_ file: Int32, _ path: String) throws(StoreError) {
        self.file = file
        var status = stat()
        let isOpen = file >= 0 && fstat(file, &status) == 0
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        if !isOpen { throw Self.failure("open", path) }
        if status.st_mode & S_IFMT != S_IFREG {
            throw StoreError(.foreignFile, "'\(path)' is not a file; name another one.")
        }
    }

    deinit { if file >= 0 { close(file) } }

    /// Whether the file is still the one at a path.
    func isStill(at path: String) -> Bool { FileIdentity(path: path) == identity }

    /// Reads the file at a path, without following a link at its end; nil when there is none.
    static func load(_ path: String) throws(StoreError) -> (FileVersion, Data)? {
        // What is no file, such as a pipe, must not make the caller wait.
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        let version = try FileVersion(file, path)
        var data = Data()
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw failure("read", path) }
            if count == 0 { return (version, data) }
            data.append(contentsOf: part[..<count])
        }
    }

    /// Replaces a file: at every moment the path leads to the old bytes or to the new ones, whole.
    ///
    /// - Throws: `.unknownOutcome` when the file was replaced, but the disk did not confirm it.
    static func replace(
        _ path: String, with data: Data, durability: Durability
    ) throws(StoreError) -> FileVersion {
        let new = path + ".new"
        // Left by a process that ended while it wrote; nobody else writes now.
        unlink(new)
        let version = try FileVersion(
            open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), path)
        // Unless the bytes reach the disk before the name does, a loss of power leaves half a file.
        guard version.append(data), durability == .unsafeNoSync || synchronize(version.file),
            rename(new, path) == 0
        else {
            let error = failure("write", path)
            unlink(new)
            throw error
        }
        if durability == .full { try syncFolder(of: path) }
        return version
    }

    /// Takes a file away.
    static func remove(_ path: String) throws(StoreError) {
        if unlink(path) != 0, errno != ENOENT { throw failure("remove", path) }
    }

    private func append(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(file, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// The name of a file is part of its folder, and is on the disk when the folder is.
    private static func syncFolder(of path: String) throws(StoreError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let file = open(folder, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        if file < 0 || !synchronize(file) {
            throw StoreError(
                .unknownOutcome,
                "'\(path)' was replaced, but its folder could not be synchronised: a loss of power may "
                    + "take the save back. Ask for the save by its identifier.",
                detail: String(cString: strerror(errno)))
        }
    }

    private static func synchronize(_ file: Int32) -> Bool {
        #if canImport(Darwin)
        // There fsync leaves the bytes in the disk's own memory.
        fcntl(file, F_FULLFSYNC) == 0
        #else
        fsync(file) == 0
        #endif
    }

    /// The error that the system has just reported.
    private static func failure(_ action: String, _ path: String) -> StoreError {
        let number = errno
        let code: StoreError.Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            case EACCES, EPERM, EROFS: .permissionDenied
            case ELOOP, EISDIR: .foreignFile
            default: .io
            }
        return StoreError(
            code, "Cannot \(action) '\(path)'; check the file, its folder's mode and the space.",
            detail: String(cString: strerror(number)))
    }
}
