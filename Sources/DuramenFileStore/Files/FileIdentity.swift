/// A file, whatever its path.
public struct FileIdentity: Hashable, Sendable {
    /// The number of the device.
    public var device: UInt64
    /// The file's number on the device.
    public var inode: UInt64

    /// Names a file by its numbers.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The file at a path, not following a link at its end; nil when no file is there.
    public init?(path: String) {
        guard case .file(let identity, _) = SystemCalls.kind(of: path) else { return nil }
        self = identity
    }
}
