import DuramenFileStore
import DuramenModel
import DuramenStore

extension StoreWriter {
    // The growth of the file after which a snapshot past its lease is ended.
    private static let toleratedGrowthBytes = 16 << 20

    /// Now and then, searches for readers that died or were forgotten, because they let the file
    /// grow.
    func tidyUp() {
        saveCount += 1
        guard saveCount & 15 == 0 else { return }
        environment.removeDeadReaders()
        let used = environment.usedBytes
        held.endOverdue { used - $0 >= Self.toleratedGrowthBytes }
    }

    func maintain() throws(StoreError) -> MaintenanceReport {
        try alone { () throws(StoreError) in
            environment.removeDeadReaders()
            var report = MaintenanceReport(endedSnapshots: held.endOverdue())
            try removeFiles(&report)
            try make(schema.deferredIndexes)
            try environment.synchronize()
            environment.compactAtEnd()
            return report
        }
    }

    /// Removes value files that no row refers to, unless any process reads an older state, whose
    /// rows may refer to them.
    private func removeFiles(_ report: inout MaintenanceReport) throws(StoreError) {
        guard schema.values.exists else { return }
        if environment.hasOlderReaders {
            report.isComplete = false
            return
        }
        // A loss of power must not restore an older state.
        try environment.synchronize()
        _ = try transaction { (transaction) throws(StoreError) -> Void? in
            let rows = RowReading(schema: schema, transaction: transaction)
            let removed = try schema.values.removeFiles(except: FileReferences(rows: rows).all())
            report.removedFiles = removed.count
            report.bytesFreed = removed.bytes
            return nil
        }
    }

    private func make(
        _ places: [Int], first: (MetaTable) throws(StoreError) -> Void = { _ in }
    ) throws(StoreError) {
        _ = try transaction { (transaction) throws(StoreError) -> Void? in
            try first(MetaTable(transaction: transaction, table: schema.tables.meta))
            indexes = nil
            try IndexUpkeep(schema: schema, transaction: transaction).make(places)
            return ()
        }
    }

    /// Creates indexes that a snapshot is about to need, unless another process is in the way.
    ///
    /// If nothing was saved since, the snapshot restarts on its state, now with the indexes.
    /// - Returns: Whether they were created.
    func makeIndexes(
        _ places: [Int], for snapshot: LMDBSnapshot, withinSeconds: Double
    ) -> Bool {
        aloneIfAvailable(withinSeconds: withinSeconds) { () -> Bool? in
            var isSameState = false
            do throws(StoreError) {
                try make(places) { (meta) throws(StoreError) in
                    let newest = try SaveLog(schema, meta.transaction).lastNumber()
                    isSameState = newest == snapshot.generation.rawValue
                }
            } catch {
                return nil
            }
            if isSameState { snapshot.beginAnew() }
            return true
        } ?? false
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try alone { () throws(StoreError) in
            _ = try transaction { (transaction) throws(StoreError) -> Void? in
                try MetaTable(transaction: transaction, table: schema.tables.meta)
                    .replaceUserInfo(userInfo)
                return ()
            }
        }
    }
}
