import CSQLite
import DuramenFileStore
import DuramenStore

extension StoreWriter {
    /// Creates missing indexes, ends overdue snapshots, and writes the log back: completely if this
    /// process has no open snapshot, otherwise as far as readers allow.
    func maintain(_ indexes: [String]) throws(StoreError) -> MaintenanceReport {
        try withWriter { (source, _) throws(StoreError) in
            guard let checkpoints else { throw core.closed }
            let connection = source.connection
            if !indexes.isEmpty { try connection.transaction(indexes) }
            var report = MaintenanceReport()
            // Freed pages are written to the log first.
            let before = core.place.byteCount
            try connection.execute("PRAGMA incremental_vacuum")
            report.endedSnapshots = core.held.endOverdue()
            let isAlone = core.held.count == 0
            let (result, pagesLeft) = checkpoints.run(
                isAlone ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE)
            let isBusy = result & 0xFF == SQLITE_BUSY
            if result != SQLITE_OK, !isBusy { throw connection.error(result, "maintain") }
            report.isComplete = isAlone && !isBusy && pagesLeft <= 0
            report.bytesFreed = max(0, before - core.place.byteCount)
            if report.isComplete { try removeFiles(source, &report) }
            return report
        }
    }

    /// Removes value files that no row refers to.
    ///
    /// The log was just restarted. The engine does this only while no process reads an older state,
    /// and after waiting for the disk. Nobody commits meanwhile.
    private func removeFiles(
        _ source: RowSource, _ report: inout MaintenanceReport
    ) throws(StoreError) {
        guard core.schema.isOwnFile, core.external.folder.exists else { return }
        let removed = try core.external.folder.removeFiles(
            except: FileReferences(connection: source.connection, schema: core.schema).all())
        report.removedFiles = removed.count
        report.bytesFreed += removed.bytes
    }

    /// Creates indexes that a snapshot is about to need, unless another process is in the way.
    ///
    /// If nothing was saved since, the snapshot restarts on its state, now with the indexes.
    /// - Returns: Whether they were created.
    func makeIndexes(
        _ statements: [String], for snapshot: SQLiteSnapshot, withinSeconds: Double
    ) -> Bool {
        withWriterIfAvailable(withinSeconds: withinSeconds) { source -> Bool? in
            let connection = source.connection
            let version = connection.foreignCommits
            do throws(StoreError) {
                try connection.withPatience(seconds: withinSeconds) { () throws(StoreError) in
                    try connection.transaction(statements)
                    // Nobody commits from here on, so the newest state does not change.
                    try connection.holdingWriteLock {
                        guard connection.foreignCommits == version,
                            snapshot.reader.isNewest(snapshot.generation, on: connection)
                        else { return }
                        snapshot.reader.beginAnew()
                    }
                }
                return true
            } catch {
                return nil
            }
        } ?? false
    }
}
