#if os(Linux)
import Foundation

/// A file system in memory, which only the administrator can mount.
package struct SmallDisk {
    /// Whether this process may try.
    package static var isPermitted: Bool { geteuid() == 0 }

    /// The folder where it is mounted.
    package let path: String

    /// Mounts a disk; nil where the system does not permit it.
    package init?(in folder: TemporaryFolder, kibibytes: Int) {
        path = folder.file("disk")
        mkdir(path, 0o700)
        guard mount("none", path, "tmpfs", 0, "size=\(kibibytes)k") == 0 else { return nil }
    }

    /// Makes it larger.
    ///
    /// - Returns: Whether the system did.
    package func grow(kibibytes: Int) -> Bool {
        mount("none", path, "tmpfs", UInt(MS_REMOUNT), "size=\(kibibytes)k") == 0
    }

    /// Permits no more writing.
    ///
    /// - Returns: Whether the system did.
    package func becomeReadOnly() -> Bool {
        // A process that another test starts has this one's files for the moment until it runs.
        (0..<100_000).contains { _ in
            mount("none", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
        }
    }

    /// Takes it away, whoever uses it still.
    package func unmount() { umount2(path, Int32(MNT_DETACH)) }
}
#endif
