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
    ///   `.foreignFile`, `.damagedFile`. `.readOnly` for a file with an incomplete transaction that
    ///   this process may not write to.
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
            // The file without its journal is half of two states.
            if StoreFile.hasJournal(path) {
                try rollBackLeftTransaction(counters)
                let again = try open(counters: counters)
                return (again, try again.integer(query))
            }
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

    /// Lets the engine roll back the transaction of a process that was killed.
    private func rollBackLeftTransaction(_ counters: StoreCounters) throws(StoreError) {
        var writing = self
        writing.isReadOnly = false
        do throws(StoreError) {
            _ = try writing.open(counters: counters).integer("SELECT COUNT(*) FROM sqlite_master")
        } catch {
            if error.code == .storeBusy || error.code == .damagedFile { throw error }
            throw StoreError(
                .readOnly,
                "'\(path)' has an incomplete transaction, and may not be written to roll it back. Open it once "
                    + "for writing.", detail: error.description)
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
