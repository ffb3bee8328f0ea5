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

    /// Permits no more writing at its path.
    ///
    /// - Returns: Whether the system did.
    package func becomeReadOnly() -> Bool {
        // The disk itself would refuse while any process has a file of it open for writing, and
        // one that another test starts inherits what this one has open at that moment. A second
        // mount above the first has no such file.
        mount(path, path, nil, UInt(MS_BIND), nil) == 0
            && mount("none", path, nil, UInt(MS_REMOUNT | MS_BIND | MS_RDONLY), nil) == 0
    }

    /// Takes it away, with what is mounted above, whoever uses it still.
    package func unmount() { while umount2(path, Int32(MNT_DETACH)) == 0 {} }
}
#endif
