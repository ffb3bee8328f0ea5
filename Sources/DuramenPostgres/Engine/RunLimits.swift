import DuramenQuery

/// The limits that may end a run on a connection early.
struct RunLimits: Sendable {
    /// When the run is given up; nil for no limit.
    var deadline: Deadline?
    /// The flag that asks the run to stop; the run looks at it every 20 ms.
    var cancellation: CancellationFlag?
    /// Whether the run contains a COMMIT of changes. Once its first byte is sent, it is not
    /// cancelled, and if its end is not seen, its outcome is unknown.
    var commits: Bool
    /// Whether the connection stays open when the run is cancelled, since its transaction has other
    /// users. ``Connection/recover(_:)`` is then called before the next run.
    var keepsConnection: Bool

    /// Creates limits.
    init(
        deadline: Deadline? = nil, cancellation: CancellationFlag? = nil, commits: Bool = false,
        keepsConnection: Bool = false
    ) {
        self.deadline = deadline
        self.cancellation = cancellation
        self.commits = commits
        self.keepsConnection = keepsConnection
    }

    /// No limits.
    static let none = RunLimits()
}
