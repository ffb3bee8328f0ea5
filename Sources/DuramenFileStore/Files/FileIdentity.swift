/// The identity of a file, independent of its path.
public struct FileIdentity: Hashable, Sendable {
    /// The number of the device.
    public var device: UInt64
    /// The file's number on the device.
    public var inode: UInt64

    /// Creates an identity from its numbers.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Creates the identity of the file at a path, not following a link; nil if it is not a file.
    public init?(path: String) {
        guard case .file(let identity, _) = SystemCalls.kind(of: path) else { return nil }
        self = identity
    }
}
