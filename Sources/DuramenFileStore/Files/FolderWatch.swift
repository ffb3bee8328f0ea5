import DuramenModel

/// Detects that no name in a folder has changed since its files were checked, with one system call.
///
/// The time of a folder changes when a file in it is created, renamed or removed. Two changes may
/// have equal times, so a time counts only once it is older than the clock's resolution.
public final class FolderWatch: Sendable {
    /// The path as a C string, which is used before every save.
    private let path: ContiguousArray<CChar>
    private let known = Locked<FolderStamp?>(nil)

    /// Creates a watch, with nothing known of the folder.
    ///
    /// - Parameter path: The path of the folder.
    public init(_ path: String) { self.path = path.utf8CString }

    /// Checks files in the folder, unless nothing has changed since the last successful check.
    ///
    /// - Parameters:
    ///   - settlingSeconds: The age at which a change of the folder differs in time from a later
    ///     one; nil for the default of its file system.
    ///   - look: Checks the files, and returns a finding or nil.
    /// - Returns: The finding of `look`; nil if there is none.
    public func changes<Finding>(
        settlingSeconds: Double? = nil, _ look: () -> Finding?
    ) -> Finding? {
        // Read before the check, so that a change during it is detected next time.
        let stamp = FolderStamp(path)
        if let stamp, known.withLock({ $0 }) == stamp { return nil }
        if let finding = look() { return finding }
        let isSettled = stamp.map {
            $0.changed.seconds(until: SystemCalls.now)
                > settlingSeconds ?? $0.changed.settlingSeconds
        }
        known.withLock { $0 = isSettled == true ? stamp : nil }
        return nil
    }
}

/// The identity of the folder at a path, and the time of its last change.
private struct FolderStamp: Equatable {
    private let identity: FileIdentity
    let changed: SystemCalls.Time

    init?(_ path: ContiguousArray<CChar>) {
        guard let (identity, changed) = SystemCalls.folder(at: path) else { return nil }
        self.identity = identity
        self.changed = changed
    }
}

extension SystemCalls.Time {
    /// The age at which a change with this time differs in time from any later one: at least twice
    /// the file system's resolution. Coarse file systems count seconds, or two seconds, as FAT
    /// does. Finer ones use the kernel's clock, which ticks at least every ten milliseconds.
    public var settlingSeconds: Double { nanoseconds % 1_000_000 == 0 ? 4 : 0.1 }

    fileprivate func seconds(until time: Self) -> Double {
        Double(time.seconds - seconds) + Double(time.nanoseconds - nanoseconds) / 1_000_000_000
    }
}
