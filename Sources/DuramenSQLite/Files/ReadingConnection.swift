import DuramenFileStore
import DuramenStore

extension ConnectionOptions {
    /// Opens a connection, and makes sure that it can read.
    ///
    /// The index of a log cannot be made in a folder that may not be written. Without a log the
    /// file alone holds everything: on a disk that nobody can write for as long as it is open,
    /// elsewhere for as long as nobody writes, which ``Connection/unwritten`` watches.
    /// - Parameter query: Something to read.
    /// - Throws: `.storeBusy` while somebody writes whose log this process may not use;
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
            // Before anything is read.
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
    /// Runs `body`, whose result counts only when nobody wrote into a file that is read alone.
    ///
    /// - Throws: `.storeBusy` when somebody did.
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
