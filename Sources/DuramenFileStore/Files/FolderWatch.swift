import DuramenModel

/// Tells that no name in a folder has changed since its files were looked at, by one look at the
/// folder.
///
/// A folder notes when something was made, renamed or taken away in it. Two changes may get the
/// same time, so a time counts only once it is older than the system's steps of time.
public final class FolderWatch: Sendable {
    /// The path, as the system takes it: it is looked at before every save.
    private let path: ContiguousArray<CChar>
    private let known = Locked<FolderStamp?>(nil)

    /// Watches a folder; nothing is known of it at first.
    ///
    /// - Parameter path: The folder.
    public init(_ path: String) { self.path = path.utf8CString }

    /// Looks at files in the folder, unless nothing can have happened to them since that went well
    /// last.
    ///
    /// - Parameters:
    ///   - settlingSeconds: How old a change of the folder must be to be told from a later one; nil
    ///     for what its file system needs.
    ///   - look: Looks at the files.
    /// - Returns: What `look` found; nil when all is well.
    public func changes<Finding>(
        settlingSeconds: Double? = nil, _ look: () -> Finding?
    ) -> Finding? {
        // Before the files, so that what happens meanwhile makes another one.
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

/// Which folder is at a path, and when names in it changed last.
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
    /// How old a change noted with this time must be, so that no later one is noted with the same:
    /// twice the file system's step of time at least. The coarse ones count seconds, or two, as FAT
    /// does; what counts fractions of milliseconds takes them from the kernel's clock, which ticks
    /// every ten at least.
    public var settlingSeconds: Double { nanoseconds % 1_000_000 == 0 ? 4 : 0.1 }

    fileprivate func seconds(until time: Self) -> Double {
        Double(time.seconds - seconds) + Double(time.nanoseconds - nanoseconds) / 1_000_000_000
    }
}
