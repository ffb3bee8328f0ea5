#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The free space of a disk, as the system reports it.
public enum DiskSpace {
    /// Returns the bytes that may still be written on the disk of a file or folder; nil if the
    /// system does not report them. It costs one system call.
    ///
    /// - Parameter path: A file or folder that exists.
    public static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}
