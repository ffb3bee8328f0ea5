import CPostgres

extension Connection {
    /// How long the end of a cancelled run is waited for before the next one.
    private static let patienceSeconds = 10.0

    /// Makes the open transaction usable after a run that failed or was cancelled.
    ///
    /// A cancelled run may have ended before the server's answers were read. They are read here,
    /// and tell whether the run failed.
    ///
    /// - Parameter rollBack: Rolls back to the savepoint of the failed run, and releases it.
    func recover(_ rollBack: Pipeline) throws(PostgresFailure) {
        guard needsRecovery else { return }
        try checkUsable()
        let limits = RunLimits(deadline: Deadline(seconds: Self.patienceSeconds))
        if let cancellation, let deadline = limits.deadline, !cancellation.wait(until: deadline) {
            throw lose()
        }
        cancellation = nil
        var skipped = Reception()
        try receive(into: &skipped, limits)
        needsRecovery = false
        guard isInFailedTransaction else { return }
        do throws(PostgresFailure) {
            _ = try run(rollBack, limits)
        } catch {
            // The request may have hit this statement; it was the last that it can hit.
            if error.sqlState != "57014" { throw error }
            _ = try run(rollBack, limits)
        }
    }
}
