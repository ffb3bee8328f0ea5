import CPostgres
import DuramenQuery
import DuramenStore

// COPY is not allowed in a pipeline, so these runs leave pipeline mode and enter it again.
extension Connection {
    /// Runs `COPY … FROM STDIN (FORMAT binary)`, in the transaction that is open.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - limits: The limits that may end it early; `commits` is ignored.
    ///   - body: Writes the rows. If it throws, none is copied.
    /// - Returns: The number of rows.
    func copyIn(
        _ text: String, _ limits: RunLimits = .none,
        _ body: (inout CopyWriter) throws(StoreError) -> Void
    ) throws(CopyFailure) -> Int {
        var writer = try beginCopyIn(text, limits)
        do throws(StoreError) {
            try body(&writer)
        } catch {
            throw giveUp(&writer, error)
        }
        return try endCopyIn(&writer)
    }

    /// Begins a COPY, to which rows may be written for some time. Until
    /// ``endCopyIn(_:)`` or ``giveUp(_:_:)``, the connection can do nothing else.
    func beginCopyIn(
        _ text: String, _ limits: RunLimits = .none
    ) throws(CopyFailure) -> CopyWriter {
        let limits = RunLimits(deadline: limits.deadline, cancellation: limits.cancellation)
        try beginSimpleMode(text, PGRES_COPY_IN, limits)
        return CopyWriter(self, limits)
    }

    /// Ends a COPY, and returns the number of rows.
    func endCopyIn(_ writer: inout CopyWriter) throws(CopyFailure) -> Int {
        do throws(StoreError) {
            try writer.end()
        } catch {
            throw giveUp(&writer, error)
        }
        defer { enterPipelineMode() }
        let limits = writer.limits
        return try asServer { () throws(PostgresFailure) in
            guard let handle, PQputCopyEnd(handle, nil) == 1 else { throw lose() }
            needsFlush = true
            return try finishCopy(limits)
        }
    }

    /// Ends a COPY without its rows, which fails the transaction.
    ///
    /// - Returns: The server's own reason if it had one, or the given one.
    func giveUp(_ writer: inout CopyWriter, _ error: StoreError) -> CopyFailure {
        if let failure = writer.failure, isBroken { return .server(failure) }
        guard let handle else { return .body(error) }
        defer { enterPipelineMode() }
        _ = PQputCopyEnd(handle, "given up")
        needsFlush = true
        do throws(PostgresFailure) {
            _ = try finishCopy(writer.limits)
        } catch {
            if writer.failure != nil { return .server(error) }
        }
        return .body(error)
    }

    /// Runs `COPY … TO STDOUT (FORMAT binary)`.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - limits: The limits that may end it early.
    ///   - body: Reads a piece: the header and the first row, then a row or the end.
    /// - Returns: The number of rows.
    func copyOut(
        _ text: String, _ limits: RunLimits = .none,
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(CopyFailure) -> Int {
        let limits = RunLimits(deadline: limits.deadline, cancellation: limits.cancellation)
        return try inSimpleMode(text, PGRES_COPY_OUT, limits) { handle throws(CopyFailure) in
            while true {
                var piece: UnsafeMutablePointer<CChar>?
                let length = PQgetCopyData(handle, &piece, 1)
                if length == 0 {
                    try asServer { () throws(PostgresFailure) in try waitSimply(limits) }
                    continue
                }
                guard length > 0, let piece else { break }
                defer { PQfreemem(piece) }
                do throws(StoreError) {
                    try body(UnsafeRawBufferPointer(start: piece, count: Int(length)))
                } catch {
                    // The rest may be long, so it is not read.
                    close()
                    throw .body(error)
                }
            }
            return try asServer { () throws(PostgresFailure) in try finishCopy(limits) }
        }
    }

    /// Writes data of a COPY and waits until it is sent.
    func putCopyData(_ bytes: [UInt8], _ limits: RunLimits) throws(PostgresFailure) {
        guard let handle, !bytes.isEmpty else { return try checkUsable() }
        var sent: Int32 = 0
        while sent == 0 {
            sent = bytes.withUnsafeBufferPointer {
                $0.withMemoryRebound(to: CChar.self) {
                    PQputCopyData(handle, $0.baseAddress, Int32(clamping: $0.count))
                }
            }
            needsFlush = true
            // libpq refuses data when the server has ended the copy with an error.
            if sent < 0 {
                if isBroken { throw lose() }
                throw PostgresFailure(.refused)
            }
            repeat {
                let flushed = PQflush(handle)
                needsFlush = flushed == 1
                if flushed < 0 { throw lose() }
                if needsFlush { try waitSimply(limits) }
            } while needsFlush
        }
        if limits.cancellation?.isCancelled == true { throw stop(.cancelled) }
    }

    // MARK: - Steps

    /// Sends a statement by the simple protocol, and calls `body` when the copy has begun.
    private func inSimpleMode(
        _ text: String, _ expected: ExecStatusType, _ limits: RunLimits,
        _ body: (OpaquePointer) throws(CopyFailure) -> Int
    ) throws(CopyFailure) -> Int {
        try beginSimpleMode(text, expected, limits)
        guard let handle else { throw .server(lose()) }
        defer { enterPipelineMode() }
        return try body(handle)
    }

    /// Sends a statement by the simple protocol, and waits until the copy has begun.
    private func beginSimpleMode(
        _ text: String, _ expected: ExecStatusType, _ limits: RunLimits
    ) throws(CopyFailure) {
        try asServer { () throws(PostgresFailure) in
            try checkUsable()
            if limits.cancellation?.isCancelled == true { throw PostgresFailure(.cancelled) }
            var skipped = Reception()
            try receive(into: &skipped, limits)
            counters?.noteTrip()
            guard let handle, PQexitPipelineMode(handle) == 1, PQsendQuery(handle, text) == 1
            else { throw lose() }
            needsFlush = true
        }
        var hasBegun = false
        defer { if !hasBegun { enterPipelineMode() } }
        try asServer { () throws(PostgresFailure) in
            guard let result = try nextResult(limits) else { throw lose() }
            let status = PQresultStatus(result)
            defer { PQclear(result) }
            if status == expected { return }
            let failure = ServerError.failure(result, statement: 0)
            let isRefused = status == PGRES_FATAL_ERROR && !ServerError.isFatal(result)
            // Another kind of statement than COPY leaves the connection in another state.
            guard isRefused else { throw lose(sqlState: failure.sqlState) }
            _ = try finishCopy(limits)
            throw failure
        }
        hasBegun = true
    }

    private func enterPipelineMode() {
        guard let handle else { return }
        if PQenterPipelineMode(handle) != 1 { close() }
    }

    /// Reads the results up to the end, and returns the number of rows.
    private func finishCopy(_ limits: RunLimits) throws(PostgresFailure) -> Int {
        var count = 0
        var failure: PostgresFailure?
        while let handle = try nextResult(limits) {
            let result = ResultSet(handle)
            switch PQresultStatus(handle) {
            case PGRES_COMMAND_OK: count = result.affectedRows
            case PGRES_FATAL_ERROR:
                let told = ServerError.failure(handle, statement: 0)
                if ServerError.isFatal(handle) || isBroken { throw lose(sqlState: told.sqlState) }
                failure = failure ?? told
            default: throw lose()
            }
        }
        if let failure { throw failure }
        return count
    }

    private func nextResult(_ limits: RunLimits) throws(PostgresFailure) -> OpaquePointer? {
        while let handle {
            if needsFlush { needsFlush = PQflush(handle) == 1 }
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            try waitSimply(limits)
        }
        throw lose()
    }

    /// Waits for the socket, and gives up by dropping the connection.
    private func waitSimply(_ limits: RunLimits) throws(PostgresFailure) {
        guard let handle else { throw lose() }
        if limits.cancellation?.isCancelled == true { throw stop(.cancelled) }
        if limits.deadline?.isPassed == true { throw stop(.deadlinePassed) }
        var pause = limits.deadline?.remainingMilliseconds
        if limits.cancellation != nil { pause = min(pause ?? .max, 20) }
        switch Socket.wait(
            PQsocket(handle), reading: true, writing: needsFlush, milliseconds: pause)
        {
        case .none: return
        case .broken: throw lose()
        case .ready:
            if PQconsumeInput(handle) == 0, PQstatus(handle) != CONNECTION_BAD { throw lose() }
        }
    }

    /// Asks the server to cancel, and drops the connection.
    private func stop(_ cause: PostgresFailure.Cause) -> PostgresFailure {
        if let handle { _ = ServerCancellation.request(handle) }
        close()
        return PostgresFailure(cause)
    }

    private func asServer<Result>(
        _ body: () throws(PostgresFailure) -> Result
    ) throws(CopyFailure) -> Result {
        do throws(PostgresFailure) { return try body() } catch { throw .server(error) }
    }
}
