#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The operating-system calls of stores in files, with all conditions on the platform.
public enum SystemCalls {
    /// The kind of file at a path.
    public enum PathKind {
        /// Nothing is at the path.
        case missing
        /// A regular file, with its size in bytes.
        case file(FileIdentity, size: Int64)
        /// A folder.
        case folder
        /// A symbolic link.
        case link
        /// Another kind, such as a device.
        case other
        /// The call failed with a number of an operating-system error.
        case failed(Int32)
    }

    /// Returns whether the disk or a quota was full.
    public static func isDiskFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }
    /// Returns whether access was not permitted.
    public static func isPermission(_ error: Int32) -> Bool {
        error == EACCES || error == EPERM || error == EROFS
    }

    /// Returns whether the disk is read-only.
    public static func isReadOnlyDisk(_ error: Int32) -> Bool { error == EROFS }

    /// Returns whether the mode of a file or folder denies writing to this process's user. False
    /// for read-only disks and missing paths.
    public static func isWritingDenied(_ path: String) -> Bool {
        // For the effective user, as when the file is opened.
        if faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 { return false }
        return errno == EACCES || errno == EPERM
    }

    /// The number of the user who owns new files.
    public static var user: UInt32 { UInt32(geteuid()) }

    /// Returns whether a path is a folder, not a link, that belongs to this process's user and that
    /// nobody else may use.
    public static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Returns the kind of file at a path, without following a link at its end.
    public static func kind(of path: String) -> PathKind {
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

    /// Returns whether there is a folder at a path. Links are followed.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates an empty file that only its owner may read; returns 0, or the number of the error.
    public static func createFile(_ path: String) -> Int32 {
        let file = openNewFile(path)
        if file < 0 { return -file }
        close(file)
        return 0
    }

    /// Creates a file that only its owner may read, and opens it; returns a negative error number
    /// on failure.
    public static func openNewFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return file >= 0 ? file : -errno
    }

    /// Returns the first bytes of a file that no connection of this process has open.
    public static func header(of path: String, count: Int) -> Result<[UInt8], SystemError> {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return .failure(SystemError(number: errno)) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, 0) }
        guard read >= 0 else { return .failure(SystemError(number: errno)) }
        return .success(Array(bytes.prefix(read)))
    }

    /// Creates a folder that only its owner may use; returns 0, or the number of the error.
    public static func makeFolder(_ path: String) -> Int32 { mkdir(path, 0o700) == 0 ? 0 : errno }

    /// Removes an empty folder; returns 0, or the number of the error.
    public static func removeFolder(_ path: String) -> Int32 { rmdir(path) == 0 ? 0 : errno }

    /// Renames a file or folder atomically; returns 0, or the number of the error.
    public static func rename(_ path: String, to other: String) -> Int32 {
        #if canImport(Darwin)
        Darwin.rename(path, other) == 0 ? 0 : errno
        #elseif canImport(Musl)
        Musl.rename(path, other) == 0 ? 0 : errno
        #else
        Glibc.rename(path, other) == 0 ? 0 : errno
        #endif
    }

    /// Writes all bytes to an open file, after earlier ones; returns 0, or the number of the error.
    public static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32 {
        var done = 0
        while done < bytes.count {
            #if canImport(Darwin)
            let count = Darwin.write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            #elseif canImport(Musl)
            let count = Musl.write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            #else
            let count = Glibc.write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            done += count
        }
        return 0
    }

    /// Returns the number of characters in a line of a terminal, or nil if the file is not a
    /// terminal.
    public static func terminalColumns(of file: Int32) -> Int? {
        var size = winsize()
        let result = ioctl(file, .init(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Returns whether an open file is a terminal.
    public static func isTerminal(_ file: Int32) -> Bool { isatty(file) == 1 }

    /// Synchronises an open file with the disk; returns 0, or the number of the error.
    public static func synchronize(_ file: Int32) -> Int32 { fsync(file) == 0 ? 0 : errno }

    /// Synchronises a file, or the names in a folder, with the disk; returns 0, or the number of
    /// the error.
    public static func synchronize(_ path: String) -> Int32 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno }
        defer { close(file) }
        return fsync(file) == 0 ? 0 : errno
    }

    /// Reserves disk space for the bytes of a file, so that writing them needs none; returns 0, or
    /// the number of the error.
    public static func reserve(_ count: Int, of path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        #if canImport(Darwin)
        return ftruncate(file, off_t(count)) == 0 ? 0 : errno
        #else
        return posix_fallocate(file, 0, off_t(count))
        #endif
    }

    /// Returns whether the system would map this many bytes more.
    public static func canMap(_ count: Int) -> Bool {
        let memory = mmap(nil, count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, count)
        return true
    }

    /// Opens a file for reading; returns a negative error number on failure.
    public static func openForReading(_ path: String) -> Int32 {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        return file >= 0 ? file : -errno
    }

    /// Returns the length of an open file; nil on failure.
    public static func byteCount(of file: Int32) -> Int? {
        var status = stat()
        return fstat(file, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Reads up to as many bytes of an open file as fit, and returns their number; nil on failure.
    public static func read(
        _ file: Int32, at offset: Int, into memory: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var done = 0
        while done < memory.count {
            let count = pread(
                file, memory.baseAddress.map { $0 + done }, memory.count - done,
                off_t(offset + done))
            if count == 0 { return done }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            done += count
        }
        return done
    }

    /// A calendar time of the system.
    public struct Time: Equatable, Sendable {
        /// The seconds since 1970.
        public var seconds: Int
        /// The nanoseconds since the second.
        public var nanoseconds: Int

        /// Creates a time.
        public init(seconds: Int, nanoseconds: Int) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    /// The current time.
    public static var now: Time {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Time(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// Returns the folder at a path, a C string, following links, with the time of its last change,
    /// such as of a name in it. Nil if it is not a folder.
    public static func folder(at path: ContiguousArray<CChar>) -> (FileIdentity, Time)? {
        var status = stat()
        let result = path.withUnsafeBufferPointer { bytes in
            // Sound: the bytes outlive the call.
            bytes.baseAddress.map { stat($0, &status) }
        }
        guard result == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        #if canImport(Darwin)
        let time = status.st_ctimespec
        #else
        let time = status.st_ctim
        #endif
        return (
            FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
            Time(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
        )
    }

    /// Returns the time of a file's last change, in nanoseconds since 1970; nil when it is missing.
    public static func changeTime(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A stamp of a file that changes whenever the file is written.
    public struct FileStamp: Equatable, Sendable {
        /// The identity of the file.
        public var identity: FileIdentity
        /// The length in bytes.
        public var size: Int64
        /// The time of the last change of the content, in nanoseconds since 1970.
        public var modified: Int64
        /// The time of the last change of anything, which programs cannot set.
        public var changed: Int64
    }

    /// Returns the stamp of a file; nil when it is missing.
    public static func stamp(of path: String) -> FileStamp? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return FileStamp(
            identity: FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
            size: Int64(status.st_size),
            modified: Int64(modified.tv_sec) * 1_000_000_000 + Int64(modified.tv_nsec),
            changed: Int64(changed.tv_sec) * 1_000_000_000 + Int64(changed.tv_nsec))
    }

    /// Returns whether the disk of a path is read-only.
    public static func isOnReadOnlyDisk(_ path: String) -> Bool {
        var status = statvfs()
        // POSIX: ST_RDONLY; its value is 1 on all systems here, and its type differs.
        return statvfs(path, &status) == 0 && UInt64(status.f_flag) & 1 != 0
    }

    /// Returns whether another process has a lock on a part of a file that no connection of this
    /// process has open; false if unknown.
    public static func isLockedElsewhere(_ path: String, at start: Int64, count: Int64) -> Bool {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(start)
        lock.l_len = off_t(count)
        return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    /// Returns the identity of an open file; nil if unknown.
    public static func identity(of file: Int32) -> FileIdentity? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Opens or creates a lock file; returns a negative error number on failure.
    public static func openLockFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return file >= 0 ? file : -errno
    }

    /// Closes a file.
    public static func closeFile(_ file: Int32) { close(file) }

    /// Removes a file; returns 0, or the number of the error.
    public static func removeFile(_ path: String) -> Int32 { unlink(path) == 0 ? 0 : errno }

    /// An operation on the lock of a file.
    public enum LockMode {
        /// An exclusive lock.
        case exclusive
        /// A lock shared with others.
        case shared
        /// No lock.
        case none
    }

    /// Tries to acquire or release the lock on a whole file; returns 0, or the number of the error.
    ///
    /// The lock belongs to the open file and not to the process, so that two stores of one process
    /// exclude each other too.
    public static func setLock(_ file: Int32, _ mode: LockMode) -> Int32 {
        #if os(Linux) || os(Android)
        var region = flock()
        let type =
            switch mode {
            case .exclusive: F_WRLCK
            case .shared: F_RDLCK
            case .none: F_UNLCK
            }
        region.l_type = Int16(type)
        region.l_whence = Int16(SEEK_SET)
        // F_OFD_SETLK, which the C header hides behind a feature macro.
        return fcntl(file, 37, &region) == 0 ? 0 : errno
        #else
        let operation =
            switch mode {
            case .exclusive: LOCK_EX | LOCK_NB
            case .shared: LOCK_SH | LOCK_NB
            case .none: LOCK_UN
            }
        return flock(file, operation) == 0 ? 0 : errno
        #endif
    }

    /// Returns whether another lock was in the way.
    public static func isLockHeld(_ error: Int32) -> Bool {
        error == EAGAIN || error == EACCES || error == EWOULDBLOCK
    }

    /// Blocks the thread.
    public static func sleep(microseconds: UInt32) { usleep(microseconds) }

    /// Returns the system's message for an error.
    public static func message(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Nothing is at the path.
    public static var noEntry: Int32 { ENOENT }
    /// Access is not permitted.
    public static var accessDenied: Int32 { EACCES }
    /// Reading or writing failed.
    public static var ioError: Int32 { EIO }
    /// Something is at the path.
    public static var exists: Int32 { EEXIST }
}

/// A number of an operating-system error.
public struct SystemError: Error {
    /// The number, as the system's headers name it.
    public var number: Int32
}
