#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The few calls of the operating system that stores in files need, and all conditions on its kind.
public enum SystemCalls {
    /// The kind of file at a path.
    public enum PathKind {
        case missing
        case file(FileIdentity, size: Int64)
        case folder
        case link
        case other
        case failed(Int32)
    }

    /// Whether there was no room for what was to be written.
    public static func isDiskFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }
    /// Whether access was not permitted.
    public static func isPermission(_ error: Int32) -> Bool {
        error == EACCES || error == EPERM || error == EROFS
    }

    /// Whether a disk can only be read.
    public static func isReadOnlyDisk(_ error: Int32) -> Bool { error == EROFS }

    /// Whether this process's user may not write to a file or folder because of its mode. Read-only
    /// disks and missing paths do not count.
    public static func isWritingDenied(_ path: String) -> Bool {
        // By the effective user, as when the file is opened.
        if faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 { return false }
        return errno == EACCES || errno == EPERM
    }

    /// The user on whose behalf files are made.
    public static var user: UInt32 { UInt32(geteuid()) }

    /// Whether a path is a folder, and no link to one, that belongs to this process's user and that
    /// nobody else may use.
    public static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Looks at a path without following a link at its end.
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

    /// Whether there is a folder at a path. Links are followed.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes an empty file that only its owner may read; 0, or the number of the error.
    public static func createFile(_ path: String) -> Int32 {
        let file = openNewFile(path)
        if file < 0 { return -file }
        close(file)
        return 0
    }

    /// Makes a file that only its owner may read, and opens it; a negative number of an error on
    /// failure.
    public static func openNewFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return file >= 0 ? file : -errno
    }

    /// Reads the first bytes of a file that no connection of this process has open.
    public static func header(of path: String, count: Int) -> Result<[UInt8], SystemError> {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return .failure(SystemError(number: errno)) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, 0) }
        guard read >= 0 else { return .failure(SystemError(number: errno)) }
        return .success(Array(bytes.prefix(read)))
    }

    /// Makes a folder that only its owner may use; 0, or the number of the error.
    public static func makeFolder(_ path: String) -> Int32 { mkdir(path, 0o700) == 0 ? 0 : errno }

    /// Takes an empty folder away; 0, or the number of the error.
    public static func removeFolder(_ path: String) -> Int32 { rmdir(path) == 0 ? 0 : errno }

    /// Gives a file or folder another path, at once; 0, or the number of the error.
    public static func rename(_ path: String, to other: String) -> Int32 {
        #if canImport(Darwin)
        Darwin.rename(path, other) == 0 ? 0 : errno
        #elseif canImport(Musl)
        Musl.rename(path, other) == 0 ? 0 : errno
        #else
        Glibc.rename(path, other) == 0 ? 0 : errno
        #endif
    }

    /// Writes all bytes at the end of what was written to an open file; 0, or the number of the
    /// error.
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

    /// The number of characters in a line of a terminal, or nil if the file is not a terminal.
    public static func terminalColumns(of file: Int32) -> Int? {
        var size = winsize()
        let result = ioctl(file, .init(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Whether an open file is a terminal.
    public static func isTerminal(_ file: Int32) -> Bool { isatty(file) == 1 }

    /// Makes sure that an open file is on the disk; 0, or the number of the error.
    public static func synchronize(_ file: Int32) -> Int32 { fsync(file) == 0 ? 0 : errno }

    /// Makes sure that a file, or the names in a folder, are on the disk; 0, or the number of the
    /// error.
    public static func synchronize(_ path: String) -> Int32 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno }
        defer { close(file) }
        return fsync(file) == 0 ? 0 : errno
    }

    /// Gives a file disk space for as many bytes, which then need none when they are written; 0, or
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

    /// Whether the system would map so many bytes more.
    public static func canMap(_ count: Int) -> Bool {
        let memory = mmap(nil, count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, count)
        return true
    }

    /// Opens a file for reading; a negative number of an error on failure.
    public static func openForReading(_ path: String) -> Int32 {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        return file >= 0 ? file : -errno
    }

    /// The length of an open file; nil on failure.
    public static func byteCount(of file: Int32) -> Int? {
        var status = stat()
        return fstat(file, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Reads as many bytes of an open file as there are; nil on failure.
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

    /// A time of the system's calendar.
    public struct Time: Equatable, Sendable {
        /// Since 1970.
        public var seconds: Int
        /// Since the second.
        public var nanoseconds: Int

        public init(seconds: Int, nanoseconds: Int) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    /// The present time.
    public static var now: Time {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Time(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// The folder at a path, which ends with a zero, over links, and when something about it
    /// changed last, the names in it included; nil when no folder is there.
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

    /// When a file was last changed, in nanoseconds since 1970; nil when it is not there.
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

    /// A mark of a file that changes whenever the file is written.
    public struct FileStamp: Equatable, Sendable {
        /// Which file it is.
        public var identity: FileIdentity
        /// Its length, in bytes.
        public var size: Int64
        /// When its content was changed last, in nanoseconds since 1970.
        public var modified: Int64
        /// When anything about it was changed last, which nobody can set.
        public var changed: Int64
    }

    /// The stamp of a file; nil when it is not there.
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

    /// Whether the disk of a path can only be read.
    public static func isOnReadOnlyDisk(_ path: String) -> Bool {
        var status = statvfs()
        // POSIX: ST_RDONLY; its value is 1 on all systems here, and its type differs.
        return statvfs(path, &status) == 0 && UInt64(status.f_flag) & 1 != 0
    }

    /// Whether another process has a lock on a part of a file that no connection of this process
    /// has open; false when that cannot be told.
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

    /// Which file an open one is; nil when that cannot be told.
    public static func identity(of file: Int32) -> FileIdentity? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Opens or makes a lock file; a negative number of an error on failure.
    public static func openLockFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return file >= 0 ? file : -errno
    }

    /// Gives a file back.
    public static func closeFile(_ file: Int32) { close(file) }

    /// Takes a file away; 0, or the number of the error.
    public static func removeFile(_ path: String) -> Int32 { unlink(path) == 0 ? 0 : errno }

    /// An operation on the lock of a file.
    public enum LockMode {
        /// Alone.
        case exclusive
        /// With all who share.
        case shared
        /// No more.
        case none
    }

    /// Tries to take or give back the lock on a whole file: 0, or the number of the error.
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

    /// Whether somebody else has the lock.
    public static func isLockHeld(_ error: Int32) -> Bool {
        error == EAGAIN || error == EACCES || error == EWOULDBLOCK
    }

    /// Waits.
    public static func sleep(microseconds: UInt32) { usleep(microseconds) }

    /// The system's words for an error.
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
