import DuramenFileStore
import DuramenStore

extension ConnectionOptions {
    /// Opens a connection, and checks that it can read.
    ///
    /// In a read-only folder the index of a log cannot be created. Without a log the file alone is
    /// complete. On a read-only disk it stays so; elsewhere only until another process writes,
    /// which ``Connection/unwritten`` detects.
    /// - Parameters:
    ///   - query: A query to test reading.
    ///   - counters: The counters of the store.
    /// - Throws: `.storeBusy` while another process writes with a log that this process cannot use;
    ///   `.foreignFile`, `.damagedFile`.
    func openReading(
        _ query: String = "SELECT COUNT(*) FROM sqlite_master", counters: StoreCounters
    ) throws(StoreError) -> (connection: Connection, answer: Int64?) {
        let connection = try open(counters: counters)
        do throws(StoreError) {
            return (connection, try connection.integer(query))
        } catch {
            guard isReadOnly, error.code != .foreignFile, error.code != .damagedFile else {
                throw error
            }
            let isForEver = SystemCalls.isOnReadOnlyDisk(path)
            if isForEver, FileIdentity(path: path + "-wal") != nil { throw error }
            var alone = self
            alone.isImmutable = true
            // Must come before anything is read.
            let file =
                isForEver ? nil : try UnwrittenFile(path, timeoutSeconds: timeoutSeconds)
            let connection = try alone.open(counters: counters)
            connection.unwritten = file
            let answer = try connection.readingUnwritten { () throws(StoreError) in
                try connection.integer(query)
            }
            return (connection, answer)
        }
    }
}

extension Connection {
    /// Calls `body`, whose result is valid only if nobody wrote to a file that is read without a
    /// log.
    ///
    /// - Throws: `.storeBusy` if the file was written.
    @inline(__always) func readingUnwritten<R>(
        _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let unwritten else { return try body() }
        let result: R
        do throws(StoreError) { result = try body() } catch {
            // Pages of two states look like damage.
            try unwritten.check()
            throw error
        }
        try unwritten.check()
        return result
    }
}
