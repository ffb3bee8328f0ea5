public import DuramenModel
public import DuramenQuery
import Synchronization

/// A migration under way: the change, its observer and its cancellation.
public final class MigrationWork: Sendable {
    /// What becomes of rows and pairs.
    public let change: SchemaChange
    /// Ends the work when it is raised, until the change is written.
    public let cancellation: CancellationFlag

    private let location: String
    private let observer: (@Sendable (MigrationProgress) -> Void)?
    /// Copies the store as it is; nil when no copy is kept.
    private let copy: (@Sendable () throws(StoreError) -> Void)?
    private let wasOvertaken = Atomic<Bool>(false)
    private let lastReport:
        Locked<(phase: MigrationProgress.Phase, fraction: Double, time: ContinuousClock.Instant)?>

    /// How often the observer is told at most.
    private static let interval = Duration.milliseconds(33)

    init(
        _ change: SchemaChange, location: String,
        observer: (@Sendable (MigrationProgress) -> Void)?, cancellation: CancellationFlag,
        copy: (@Sendable () throws(StoreError) -> Void)?
    ) {
        self.change = change
        self.location = location
        self.observer = observer
        self.cancellation = cancellation
        self.copy = copy
        lastReport = Locked(nil)
    }

    /// Whether somebody saved past the store's own lock.
    var isOvertaken: Bool { wasOvertaken.load(ordering: .relaxed) }

    /// Begins the change. A store calls this once nobody else can write, and before it changes
    /// anything; a copy is made now if one is to be kept, by the type's `copy(_:to:)`.
    ///
    /// - Throws: `.cancelled`; what the copy throws.
    public func begin() throws(StoreError) {
        if let copy {
            try note(.backup)
            try copy()
        }
        try note(.checks)
    }

    /// The error of a store that somebody saved to since it was copied and read, as a program may
    /// that knows nothing of the store's lock; all begins again.
    public func overtaken() -> StoreError {
        wasOvertaken.store(true, ordering: .relaxed)
        return StoreError(
            .storeBusy,
            "Another program saved to '\(location)' while it was migrated; migrate it when nobody else has it open. "
                + "Nothing was changed.")
    }

    /// Tells whoever watches how far the work is.
    ///
    /// - Parameter part: How much of the phase is done, from 0 to 1.
    /// - Throws: `.cancelled` when the work shall stop. A store then leaves everything as it was.
    public func note(
        _ phase: MigrationProgress.Phase, _ part: Double = 0
    ) throws(StoreError) {
        if phase != .end, cancellation.isCancelled { throw Self.cancelled(location) }
        guard let observer else { return }
        let fraction = phase.start + (phase.limit - phase.start) * min(max(part, 0), 1)
        let now = ContinuousClock.now
        let isNews = lastReport.withLock { report in
            if let last = report {
                let isSoon = last.phase == phase && now - last.time < Self.interval
                if isSoon || fraction < last.fraction { return false }
            }
            report = (phase, fraction, now)
            return true
        }
        if isNews {
            observer(
                MigrationProgress(
                    location: location, phase: phase, fraction: fraction,
                    cancellation: cancellation))
        }
        // The observer may have asked for it.
        if phase != .end, cancellation.isCancelled { throw Self.cancelled(location) }
    }

    private static func cancelled(_ location: String) -> StoreError {
        StoreError(
            .cancelled, "The migration of '\(location)' was cancelled; nothing was changed.")
    }
}
