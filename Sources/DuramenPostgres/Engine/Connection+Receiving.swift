import CPostgres
import DuramenModel
import DuramenQuery

/// The results that a run has received so far.
struct Reception {
    private var results: [ResultSet?]
    private var failures: [PostgresFailure] = []
    /// Whether the part between two syncs that is being received has failed.
    private(set) var hasPartFailed = false
    private let commits: Bool
    private let endsWithCommit: Bool
    /// Why the run is being ended, and until when its end is waited for.
    var ending: (cause: PostgresFailure.Cause, grace: Deadline)?

    private let taking: ((Int, ResultSet) -> Void)?

    /// Expects the results of a pipeline.
    init(
        _ pipeline: Pipeline = Pipeline(), _ limits: RunLimits = .none,
        taking: ((Int, ResultSet) -> Void)? = nil
    ) {
        self.taking = taking
        results = Array(repeating: nil, count: pipeline.count)
        commits = limits.commits
        endsWithCommit = pipeline.items.last?.statement.isCommit ?? false
    }

    /// The results.
    var outcome: PipelineOutcome { PipelineOutcome(results: results, failures: failures) }

    /// Whether nobody knows what became of a COMMIT if the connection ends here. A part that has
    /// failed does not reach its COMMIT.
    var isOutcomeUnknown: Bool { commits && !hasPartFailed }

    /// The number of the last statement.
    var lastItem: Int { results.count - 1 }

    /// Records a result.
    mutating func record(_ result: ResultSet, _ item: Int) {
        // The server answers the COMMIT of a failed transaction with a ROLLBACK, as a success.
        if endsWithCommit, item == lastItem, result.command != "COMMIT" {
            return record(PostgresFailure(sqlState: "25P02", words: "", statement: item))
        }
        if results.indices.contains(item) { results[item] = result }
        taking?(item, result)
    }

    /// Records a failure; those behind the first of a part are consequences.
    mutating func record(_ failure: PostgresFailure) {
        if !hasPartFailed { failures.append(failure) }
        hasPartFailed = true
    }

    /// Begins the next part.
    mutating func endPart() { hasPartFailed = false }
}

extension Connection {
    private static let flagMilliseconds: Int32 = 20
    /// How long the end of a cancelled run is waited for before the connection is dropped.
    private static let graceSeconds = 0.15

    /// Writes and reads until the server has answered everything.
    ///
    /// Both in one loop: client and server would wait for each other when both buffers are full.
    func receive(into reception: inout Reception, _ limits: RunLimits) throws(PostgresFailure) {
        var strays = 0
        while !steps.isEmpty {
            guard let handle else { throw lose(isOutcomeUnknown: reception.isOutcomeUnknown) }
            if needsFlush {
                let flushed = PQflush(handle)
                // A server that ended the connection may have said why, so that is read first.
                needsFlush = flushed == 1
            }
            if PQisBusy(handle) == 0 {
                if let result = PQgetResult(handle) {
                    strays = 0
                    try take(result, into: &reception)
                } else if PQstatus(handle) == CONNECTION_BAD {
                    throw ended(reception)
                } else {
                    // Each result but that of a sync is followed by a nil; that is all it means.
                    strays += 1
                    if strays > 1_000 { throw ended(reception) }
                }
                continue
            }
            try wait(&reception, limits)
        }
        guard let ending = reception.ending else { return }
        // A late cancel request would hit whatever comes next on this connection.
        if limits.keepsConnection { needsRecovery = true } else { close() }
        throw PostgresFailure(ending.cause)
    }

    private func wait(_ reception: inout Reception, _ limits: RunLimits) throws(PostgresFailure) {
        guard let handle else { throw ended(reception) }
        try end(&reception, limits)
        let isWatching = reception.ending == nil && limits.cancellation != nil && !limits.commits
        let deadline = reception.ending?.grace ?? limits.deadline ?? .none
        var pause = deadline.remainingMilliseconds
        if isWatching { pause = min(pause ?? .max, Self.flagMilliseconds) }
        switch Socket.wait(
            PQsocket(handle), reading: true, writing: needsFlush, milliseconds: pause)
        {
        case .none: break
        case .broken: throw ended(reception)
        // A failure shows in the results, with the server's last words if it had any.
        case .ready:
            if PQconsumeInput(handle) == 0, PQstatus(handle) != CONNECTION_BAD {
                throw ended(reception)
            }
        }
    }

    /// Asks the server to end the run if the caller wants it to end.
    private func end(_ reception: inout Reception, _ limits: RunLimits) throws(PostgresFailure) {
        if let ending = reception.ending {
            guard ending.grace.isPassed else { return }
            guard limits.keepsConnection else { throw ended(reception) }
            steps.abandon()
            needsRecovery = true
            throw PostgresFailure(ending.cause)
        }
        let cause: PostgresFailure.Cause
        if !limits.commits, limits.cancellation?.isCancelled == true {
            cause = .cancelled
        } else if limits.deadline?.isPassed == true {
            cause = .deadlinePassed
        } else {
            return
        }
        if limits.commits {
            let isUnknown = reception.isOutcomeUnknown
            close()
            throw PostgresFailure(cause, isOutcomeUnknown: isUnknown)
        }
        let request = handle.flatMap { ServerCancellation.request($0) }
        wasCancelled = true
        if limits.keepsConnection { cancellation = request }
        reception.ending = (cause, Deadline(seconds: Self.graceSeconds))
    }

    /// The failure of a connection that ended during a run.
    private func ended(_ reception: Reception, sqlState: String = "") -> PostgresFailure {
        let lost = lose(sqlState: sqlState, isOutcomeUnknown: reception.isOutcomeUnknown)
        return reception.ending.map { PostgresFailure($0.cause) } ?? lost
    }

    private func take(
        _ handle: OpaquePointer, into reception: inout Reception
    ) throws(PostgresFailure) {
        let result = ResultSet(handle)
        let status = PQresultStatus(handle)
        guard let step = steps.first else { throw ended(reception) }
        if case .sync = step {
            if status == PGRES_PIPELINE_SYNC {
                steps.removeFirst()
                reception.endPart()
                return
            }
            // Between statements, the server only speaks to say that it ends the connection.
            throw ended(
                reception, sqlState: ServerError.field(duramen_pg_diag_sqlstate, of: handle))
        }
        steps.removeFirst()
        let (item, preparation): (Int?, Statement?) =
            switch step {
            case .prepare(let statement, let item): (item, statement)
            case .statement(let item): (item, nil)
            case .sync: (nil, nil)
            }
        if let preparation { unconfirmed.remove(preparation) }
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            if let item, preparation == nil { reception.record(result, item) }
            // It matters whether the server warned while it committed.
            if let item, preparation == nil, item == reception.lastItem - 1 { notices.reset() }
            return
        case PGRES_FATAL_ERROR:
            let failure = ServerError.failure(handle, statement: item ?? -1)
            if ServerError.isFatal(handle) || PQstatus(self.handle) == CONNECTION_BAD {
                throw ended(reception, sqlState: failure.sqlState)
            }
            if item != nil { reception.record(failure) }
        case PGRES_PIPELINE_ABORTED: break
        // COPY is not for pipelines, and nothing else is known.
        default: throw ended(reception)
        }
        if let preparation { prepared.remove(preparation) }
    }
}
