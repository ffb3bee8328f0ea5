import DuramenFileStore
import DuramenModel
import DuramenStore

extension StoreWriter {
    // A snapshot past its lease is ended once the file has grown by so much since it was taken.
    private static let toleratedGrowthBytes = 16 << 20

    /// Now and then, looks for readers that died or were forgotten, which keep the file growing.
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

    /// Removes the files of values that no row refers to, unless somebody, in whatever process,
    /// reads an older state, whose rows may refer to them.
    private func removeFiles(_ report: inout MaintenanceReport) throws(StoreError) {
        guard schema.values.exists else { return }
        if environment.hasOlderReaders {
            report.isComplete = false
            return
        }
        // A loss of power must not bring an older state back.
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

    /// Makes indexes for a snapshot that is about to need them, unless somebody is in the way.
    ///
    /// When nothing was saved since, the snapshot begins anew on the same state, now with the
    /// indexes.
    /// - Returns: Whether they are made.
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
