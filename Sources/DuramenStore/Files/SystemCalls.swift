#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The few calls of the operating system that stores in files need, and all conditions on its kind.
package enum SystemCalls {
    /// What a path leads to.
    package enum PathKind {
        case missing
        case file(FileIdentity, size: Int64)
        case folder
        case link
        case other
        case failed(Int32)
    }

    /// Whether there was no room for what was to be written.
    package static func isDiskFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }
    /// Whether access was not permitted.
    package static func isPermission(_ error: Int32) -> Bool {
        error == EACCES || error == EPERM || error == EROFS
    }

    /// Looks at a path without following a link at its end.
    package static func kind(of path: String) -> PathKind {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return errno == ENOENT ? .missing : .failed(errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            return .file(
                FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
                size: Int64(status.st_size))
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }

    /// Whether a path leads to a folder, over links too.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes an empty file that only its owner may read; 0, or the number of the error.
    package static func createFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        close(file)
        return 0
    }

    /// Reads the first bytes of a file that no connection of this process has open.
    package static func header(of path: String, count: Int) -> Result<[UInt8], SystemError> {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return .failure(SystemError(number: errno)) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, 0) }
        guard read >= 0 else { return .failure(SystemError(number: errno)) }
        return .success(Array(bytes.prefix(read)))
    }

    /// Opens or makes a lock file; a negative number of an error on failure.
    package static func openLockFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return file >= 0 ? file : -errno
    }

    /// Gives a file back.
    package static func closeFile(_ file: Int32) { close(file) }

    /// Takes a file away; 0, or the number of the error.
    package static func removeFile(_ path: String) -> Int32 { unlink(path) == 0 ? 0 : errno }

    /// Tries to take or give back the lock on a whole file: 0, or the number of the error.
    ///
    /// The lock belongs to the open file and not to the process, so that two stores of one process
    /// exclude each other too.
    package static func setLock(_ file: Int32, locked: Bool) -> Int32 {
        #if os(Linux) || os(Android)
        var region = flock()
        region.l_type = Int16(locked ? F_WRLCK : F_UNLCK)
        region.l_whence = Int16(SEEK_SET)
        // F_OFD_SETLK, which the C header hides behind a feature macro.
        return fcntl(file, 37, &region) == 0 ? 0 : errno
        #else
        return flock(file, locked ? LOCK_EX | LOCK_NB : LOCK_UN) == 0 ? 0 : errno
        #endif
    }

    /// Whether somebody else has the lock.
    package static func isLockHeld(_ error: Int32) -> Bool {
        error == EAGAIN || error == EACCES || error == EWOULDBLOCK
    }

    /// Waits.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }

    /// The system's words for an error.
    package static func message(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Nothing is at the path.
    package static var noEntry: Int32 { ENOENT }
    /// Something is at the path.
    package static var exists: Int32 { EEXIST }
}

/// A number of an operating-system error.
package struct SystemError: Error {
    /// The number, as the system's headers name it.
    package var number: Int32
}
