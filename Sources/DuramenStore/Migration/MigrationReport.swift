import DuramenModel
import DuramenQuery
import Synchronization

/// Reports the progress of a migration to its observer, and stops a cancelled migration.
final class MigrationReport: Sendable {
    let cancellation: CancellationFlag
    private let location: String
    private let observer: (@Sendable (MigrationProgress) -> Void)?
    private let hops: Int
    private let wasOvertaken = Atomic<Bool>(false)
    private let state = Locked(State())

    private struct State {
        /// The part of the migration that is running.
        var start = 0.0
        var limit = 1.0
        var hop = 0
        var label = ""
        var last: (phase: MigrationProgress.Phase, fraction: Double, time: ContinuousClock.Instant)?
    }

    /// The shortest time between two reports of one phase.
    private static let interval = Duration.milliseconds(33)

    init(_ plan: MigrationPlan, _ cancellation: CancellationFlag) {
        location = plan.location
        observer = plan.store.migrationObserver
        hops = plan.hops.count
        self.cancellation = cancellation
        begin(hop: 0, plan.hops.first?.label ?? "", part: 0...1)
    }

    /// Starts a part of the migration.
    func begin(hop: Int, _ label: String, part: ClosedRange<Double>) {
        state.withLock { state in
            state.hop = hop
            state.label = label
            state.start = part.lowerBound
            state.limit = part.upperBound
        }
    }

    /// Whether another program saved without the store's own lock.
    var isOvertaken: Bool { wasOvertaken.load(ordering: .relaxed) }

    func overtaken() -> StoreError {
        wasOvertaken.store(true, ordering: .relaxed)
        return StoreError(
            .storeBusy,
            "Another program saved to '\(location)' while it was migrated; migrate it when nobody else has it open. "
                + "Nothing was changed.")
    }

    /// Reports that a phase has processed some of its rows.
    func note(
        _ phase: MigrationProgress.Phase, rows done: Int, of total: Int
    ) throws(StoreError) {
        try note(phase, total > 0 ? Double(done) / Double(total) : 1, rows: (done, total))
    }

    func note(
        _ phase: MigrationProgress.Phase, _ part: Double = 0, rows: (done: Int, total: Int) = (0, 0)
    ) throws(StoreError) {
        try stopIfCancelled(phase)
        guard let observer else { return }
        let own = phase.start + (phase.limit - phase.start) * min(max(part, 0), 1)
        let now = ContinuousClock.now
        let news = state.withLock { state -> MigrationProgress? in
            let fraction =
                phase == .end ? 1 : state.start + (state.limit - state.start) * own
            if let last = state.last {
                let isSoon =
                    last.phase == phase && part < 1 && now - last.time < Self.interval
                if isSoon || fraction < last.fraction { return nil }
            }
            state.last = (phase, fraction, now)
            return MigrationProgress(
                location: location, phase: phase, fraction: fraction, rowsDone: rows.done,
                rowsTotal: rows.total, hop: state.hop + 1, hops: hops, label: state.label,
                cancellation: cancellation)
        }
        if let news { observer(news) }
        // The observer may have cancelled the migration.
        try stopIfCancelled(phase)
    }

    private func stopIfCancelled(_ phase: MigrationProgress.Phase) throws(StoreError) {
        if phase != .end, cancellation.isCancelled {
            throw StoreError(
                .cancelled, "The migration of '\(location)' was cancelled; nothing was changed.")
        }
    }
}
