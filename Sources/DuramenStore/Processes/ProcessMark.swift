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
/// A child has copies of its parent's files and locks without the threads that hold them. It must
/// not use, close or unlock a store's state.
public struct ProcessMark: Sendable {
    private static let forks = Atomic<Int>(0)
    // Runs once, when the first mark is created.
    private static let isWatching: Bool = {
        pthread_atfork(nil, nil) { ProcessMark.forks.add(1, ordering: .relaxed) } == 0
    }()

    private let forks: Int

    /// Marks the current process.
    public init() {
        _ = Self.isWatching
        forks = Self.forks.load(ordering: .relaxed)
    }

    /// Whether the current process is not the one that created the mark. It costs one load.
    public var isInherited: Bool { Self.forks.load(ordering: .relaxed) != forks }

    /// Throws an error in a child process.
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

    /// Returns the error for opening a store in a child whose parent had it open at the fork.
    public static func openAtFork(_ path: String) -> StoreError {
        StoreError(
            .usedAfterFork,
            "'\(path)' was open when this process was made by fork; open it after the fork only, or start "
                + "the process with exec.")
    }
}
