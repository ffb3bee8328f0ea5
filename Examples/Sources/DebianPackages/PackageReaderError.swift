/// The reason why a file of packages could not be opened or read to its end.
public struct PackageReaderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, as the caller named it.
    public var path: String
    /// The system's error number, such as `ENOENT`.
    public var systemErrorCode: Int32

    /// Creates the error for a path from the system's error number.
    public init(path: String, systemErrorCode: Int32) {
        self.path = path
        self.systemErrorCode = systemErrorCode
    }

    /// Names the file and says what the system has against reading it.
    public var description: String {
        "Cannot read packages from '\(path)': \(systemErrorText(systemErrorCode)). "
            + "Name a readable file in the format of /var/lib/dpkg/status."
    }
}
