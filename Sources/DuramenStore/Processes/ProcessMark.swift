import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A mark of the process that created something, to recognize a child made by `fork`.
///
/// A child has copies of its parent's files and locks without the threads that hold them. What a
/// store keeps in a process must not be used, closed or unlocked there.
public struct ProcessMark: Sendable {
    private static let forks = Atomic<Int>(0)
    // Runs once, when the first mark is made.
    private static let isWatching: Bool = {
        pthread_atfork(nil, nil) { ProcessMark.forks.add(1, ordering: .relaxed) } == 0
    }()

    private let forks: Int

    /// Marks the present process.
    public init() {
        _ = Self.isWatching
        forks = Self.forks.load(ordering: .relaxed)
    }

    /// Whether this is another process than the one that made the mark. It costs one load.
    public var isInherited: Bool { Self.forks.load(ordering: .relaxed) != forks }

    /// Refuses to go on in a child.
    ///
    /// - Throws: `.usedAfterFork`
    public func check(_ path: String) throws(StoreError) {
        if isInherited {
            throw StoreError(
                .usedAfterFork,
                "The store '\(path)' was opened before this process was made by fork; open it after the "
                    + "fork only, or start the process with exec."
            )
        }
    }

    /// The error of opening a store in a child whose parent had it open at the fork.
    public static func openAtFork(_ path: String) -> StoreError {
        StoreError(
            .usedAfterFork,
            "'\(path)' was open when this process was made by fork; open it after the fork only, or start "
                + "the process with exec.")
    }
}
