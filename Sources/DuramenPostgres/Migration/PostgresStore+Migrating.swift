import DuramenModel
import DuramenStore

extension PostgresStore: SchemaMigratingStore {
    func migrate(_ work: MigrationWork) throws(StoreError) {
        let writer = try writable()
        try checkIsAlone()
        try SchemaMigration(writer: writer, store: self, work: work, location: location).run()
        try close()
    }

    func migrate(through copy: WorkingCopy) throws(StoreError) {
        let writer = try writable()
        try checkIsAlone()
        defer { copy.description.discard() }
        try writer.alone { (reading) throws(StoreError) in
            try copy.begin()
            try copy.original.type.copy(copy.original, to: copy.description)
            try copy.run()
            let made = try StoreLocation(copy.description).schema
            try SchemaExchange(reading.connection, location).replace(with: made)
        }
        try close()
    }

    private func checkIsAlone() throws(StoreError) {
        if registration.count > 1 { throw StoreError.openElsewhere(location.place) }
    }
}

extension StoreWriter {
    /// Calls `body` within a transaction that has the gate alone, and commits it.
    func alone<R>(
        _ body: (RowReading) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try transaction { (reading) throws(StoreError) in
            _ = try reading.run(core.statements.saves.lockGateAlone, [])
            // It is idle as long as the handlers of a stage work on the copy.
            _ = try reading.runText("SET LOCAL idle_in_transaction_session_timeout = 0")
            return try body(reading)
        }
    }
}
