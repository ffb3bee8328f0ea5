import CPostgres
import DuramenModel
import DuramenQuery
import DuramenStore

/// A connection to the server, in pipeline mode.
///
/// ```
///            send                receive            fatal error, cancel, close
/// idle ────────────► steps wait ─────────► idle ─────────────────────────────► broken
/// ```
// Sound: one thread at a time uses it; the pool hands it to one user, and whoever shares it locks.
final class Connection: @unchecked Sendable {
    /// libpq's handle; nil after ``close()``.
    private(set) var handle: OpaquePointer?
    /// Where the store is, for messages.
    let place: StorePlaceName
    /// Counts the round trips.
    let counters: StoreCounters?
    /// The process that opened the connection.
    let mark = ProcessMark()
    /// The notices of the server.
    let notices = NoticeRecorder()
    /// The statements that are prepared.
    var prepared = PreparedStatements()
    /// Statements whose preparation was sent and not answered yet.
    var unconfirmed: Set<Statement> = []
    /// The steps that the server has not answered yet, the next first.
    var steps = StepQueue()
    /// Whether bytes wait to be written.
    var needsFlush = false
    /// Which filling of the pool it belongs to; the pool's.
    var fillNumber = 0
    /// The last request to cancel a run, if its connection was kept.
    var cancellation: ServerCancellation?
    /// Whether a request to cancel was sent. A late one could hit any run, so that the connection
    /// is closed when its transaction ends.
    var wasCancelled = false
    /// Whether the open transaction cannot be used before ``recover(_:)``.
    var needsRecovery = false
    /// The buffers of parameters.
    var scratch = ParameterBuffers()

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - settings: How to open it.
    ///   - deadline: When to give up.
    ///   - counters: Counts the round trips.
    /// - Throws: `.storeUnavailable`, `.permissionDenied`, `.storeMissing`, `.storeBusy`.
    init(
        _ settings: ConnectionSettings, within deadline: Deadline, counters: StoreCounters? = nil
    ) throws(StoreError) {
        place = settings.place
        self.counters = counters
        let handle = try ConnectionOpening.open(settings, within: deadline)
        self.handle = handle
        notices.attach(to: handle)
    }

    deinit { close() }

    /// Closes the connection. It can be called again.
    func close() {
        guard let handle else { return }
        self.handle = nil
        steps.removeAll()
        // In a child made by fork, a farewell would end the parent's connection.
        if mark.isInherited { Socket.close(PQsocket(handle)) } else { PQfinish(handle) }
    }

    // MARK: - State

    /// Whether the connection cannot be used any more.
    var isBroken: Bool {
        guard let handle else { return true }
        return PQstatus(handle) == CONNECTION_BAD || notices.fatalState != nil
    }

    /// Whether the server has ended the connection since the last run. It costs a look at the
    /// socket.
    var hasEndedUnused: Bool {
        // Once for the server's last words, and once for the end of the stream.
        for _ in 0..<2 {
            guard let handle, !isBroken else { return true }
            switch Socket.wait(
                PQsocket(handle), reading: true, writing: false, milliseconds: 0)
            {
            case .none: return false
            case .broken: return true
            case .ready:
                if PQconsumeInput(handle) == 0 { return true }
                // Reads what came, and tells the recorder.
                _ = PQisBusy(handle)
            }
        }
        return isBroken
    }

    /// Whether a transaction is open, or has failed and waits for its ROLLBACK.
    var isInTransaction: Bool {
        guard let handle, steps.isEmpty else { return false }
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether the transaction has failed and waits for its ROLLBACK.
    var isInFailedTransaction: Bool {
        guard let handle, steps.isEmpty else { return false }
        return PQtransactionStatus(handle) == PQTRANS_INERROR
    }

    /// Whether a warning came with the last run; if it committed, with its last statement.
    var hasWarned: Bool { notices.hasWarned }

    /// The server's version, such as 150004; 0 if the connection is broken.
    var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

    /// A parameter that the server tells by itself, such as `server_encoding`.
    func serverParameter(_ name: String) -> String? {
        guard let handle, let value = PQparameterStatus(handle, name) else { return nil }
        return String(cString: value)
    }

    // MARK: - Runs

    /// Runs statements in one round trip.
    ///
    /// After a failure within a transaction, the transaction waits for its ROLLBACK, which may be
    /// the first statement of the next run. Statements that the server has forgotten, or whose
    /// tables changed, are prepared again and run once more, outside a transaction only.
    ///
    /// - Parameters:
    ///   - pipeline: The statements.
    ///   - limits: What may end the run early.
    ///   - taking: Receives each result with the number of its statement, as soon as it is there.
    /// - Returns: The results, one for each statement.
    /// - Throws: The first failure.
    func run(
        _ pipeline: Pipeline, _ limits: RunLimits = .none,
        taking: ((Int, ResultSet) -> Void)? = nil
    ) throws(PostgresFailure) -> [ResultSet] {
        let startsIdle = !isInTransaction
        var outcome = try runAll(pipeline, limits, taking: taking)
        if startsIdle, let failure = outcome.failures.first, failure.isStalePlan,
            !pipeline.items.prefix(max(failure.statement, 0)).contains(where: \.statement.isCommit)
        {
            try forgetPlans(limits)
            outcome = try runAll(pipeline, limits, taking: taking)
        }
        if let failure = outcome.failures.first { throw failure }
        let results = outcome.results.compactMap(\.self)
        guard results.count == pipeline.count else { throw lose() }
        return results
    }

    /// Runs one statement.
    func run(
        _ statement: Statement, _ parameters: [Parameter] = [], _ limits: RunLimits = .none
    ) throws(PostgresFailure) -> ResultSet {
        var pipeline = Pipeline()
        pipeline.add(statement, parameters)
        guard let result = try run(pipeline, limits).first else { throw lose() }
        return result
    }

    /// Runs statements in one round trip, and returns failures of the server with the results.
    ///
    /// - Throws: The failure that ends the run as a whole: a lost connection, a raised flag, or a
    ///   passed deadline.
    func runAll(
        _ pipeline: Pipeline, _ limits: RunLimits = .none,
        taking: ((Int, ResultSet) -> Void)? = nil
    ) throws(PostgresFailure) -> PipelineOutcome {
        try checkUsable()
        if limits.cancellation?.isCancelled == true { throw PostgresFailure(.cancelled) }
        // A connection that ended while nobody used it has certainly not committed.
        if limits.commits, hasEndedUnused { throw lose() }
        counters?.noteTrip()
        notices.reset()
        var reception = Reception(pipeline, limits, taking: taking)
        try enqueue(pipeline, isAwaited: true, commits: limits.commits)
        try receive(into: &reception, limits)
        // A wait for a standby that was cancelled, and an ended server, commit with a warning, and
        // the commit may be visible here only.
        if limits.commits, hasWarned, reception.outcome.failures.isEmpty {
            throw PostgresFailure(.refused, isOutcomeUnknown: true)
        }
        return reception.outcome
    }

    /// Sends statements and does not wait for their results, which the next run skips.
    ///
    /// The statements must end the transaction that is open, such as COMMIT does, and may fail
    /// without anybody being told.
    func send(_ pipeline: Pipeline) {
        guard (try? checkUsable()) != nil else { return }
        try? enqueue(pipeline, isAwaited: false, commits: false)
    }

    /// Sends ROLLBACK and does not wait.
    func sendRollback() {
        var pipeline = Pipeline()
        pipeline.add("ROLLBACK")
        send(pipeline)
    }

    /// Throws if the connection cannot be used.
    func checkUsable() throws(PostgresFailure) {
        if mark.isInherited { throw PostgresFailure(.usedAfterFork) }
        if isBroken {
            throw PostgresFailure(.connectionLost, sqlState: notices.fatalState ?? "")
        }
    }

    /// Closes the connection, and returns the failure that says so.
    func lose(sqlState: String = "", isOutcomeUnknown: Bool = false) -> PostgresFailure {
        let state = sqlState.isEmpty ? notices.fatalState ?? "" : sqlState
        close()
        return PostgresFailure(
            .connectionLost, sqlState: state, isOutcomeUnknown: isOutcomeUnknown)
    }

    private func forgetPlans(_ limits: RunLimits) throws(PostgresFailure) {
        prepared.removeAll()
        var pipeline = Pipeline()
        if isInTransaction { pipeline.add("ROLLBACK", prepared: false) }
        pipeline.addSync()
        pipeline.add("DEALLOCATE ALL", prepared: false)
        let limits = RunLimits(deadline: limits.deadline, cancellation: limits.cancellation)
        if let failure = try runAll(pipeline, limits).failures.first { throw failure }
    }
}
