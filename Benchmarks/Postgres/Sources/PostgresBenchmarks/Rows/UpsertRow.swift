import DuramenModel
import DuramenPostgres
import DuramenStore
import Foundation

/// New values of rows that are found by their unique codes, in one batch.
@MainActor
final class UpsertRow {
    private let server: String
    private let count: Int
    private let codes: [String]
    private let schema = "bench_upsert"
    /// Numbers the batches, so that each writes other values.
    private var batch = 0.0

    init(_ server: String, count: Int) {
        self.server = server
        self.count = count
        codes = Workload.quakes(count).map(\.code)
    }

    func run(_ report: Report) throws {
        let name = "7 upsert of \(count) known rows"
        guard report.options.includes(name) else { return }
        let description = PersistentStoreDescription.postgres(server, schema: schema)
            .allowingUnsafeServer()
        try description.type.destroy(description)
        let store = try description.open(model: Self.model())
        let raw = try RawConnection(server)
        try upsert(into: store)
        try raw.run(
            """
            SET client_min_messages = warning;
            DROP SCHEMA IF EXISTS bench_conflict CASCADE;
            CREATE SCHEMA bench_conflict;
            CREATE TABLE bench_conflict.reading(LIKE \(schema).reading INCLUDING ALL);
            CREATE UNIQUE INDEX ON bench_conflict.reading(code);
            CREATE TEMPORARY TABLE arriving(LIKE \(schema).reading);
            INSERT INTO bench_conflict.reading SELECT * FROM \(schema).reading;
            """)
        try report.measure(
            name,
            [
                Contestant(
                    name: "-", prepare: { [self] in try raw.run("VACUUM \(schema).reading") }
                ) { [self] in try Clock.median(1) { _ in try upsert(into: store) } },
                Contestant(
                    name: "raw ON CONFLICT",
                    prepare: { try raw.run("VACUUM bench_conflict.reading") }
                ) { [self] in try Clock.median(1) { _ in try upsert(raw) } },
            ], limits: [2])
        let stored = try raw.texts("SELECT count(*) FROM \(schema).reading")
        precondition(stored == [String(count)])
        raw.close()
        try store.close()
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Reading",
                attributes: [
                    AttributeDescription("code", .string), AttributeDescription("depth", .double),
                    AttributeDescription("time", .double),
                ], uniquenessConstraints: [["code"]])
        ])
    }

    private func upsert(into store: any PersistentStore) throws {
        batch += 1
        let entity = store.model.entities[0]
        var next = codes.makeIterator()
        var given = SlotSet()
        for slot in 0..<3 { given.insert(slot) }
        let outcome = try BatchInsertion(of: entity.id, repetition: .replacesAll, BatchSettings()) {
            [batch] key, _ in
            guard let code = next.next() else { return nil }
            var builder = RowBatchBuilder(capacity: 64)
            builder.beginRow(entity: entity.id, slotCount: 3, key: key, version: .unsaved)
            builder.set(.text(StoredText(code)), at: 0, as: .text)
            builder.set(double: batch, at: 1)
            builder.set(double: batch / 2, at: 2)
            builder.endRow()
            return BatchInsertion.NewRow(builder.finish()[0], givenSlots: given)
        }.run(on: store)
        precondition(outcome.count == count)
    }

    /// Copies the rows to a table of their own, and writes them from there.
    private func upsert(_ raw: RawConnection) throws {
        batch += 1
        try raw.run("BEGIN; TRUNCATE arriving")
        var index = 0
        try raw.copy(
            "COPY arriving (id, entity, version, code, depth, time) FROM STDIN (FORMAT binary)"
        ) {
            buffer in
            guard index < codes.count else { return false }
            buffer.begin(columns: 6)
            buffer.add(Int64(count + index + 1))
            buffer.add(1 as Int32)
            buffer.add(Int64(batch))
            buffer.add(codes[index])
            buffer.add(batch)
            buffer.add(batch / 2)
            index += 1
            return true
        }
        try raw.run(
            """
            INSERT INTO bench_conflict.reading SELECT * FROM arriving
            ON CONFLICT (code) DO UPDATE SET version = EXCLUDED.version,
                depth = EXCLUDED.depth, time = EXCLUDED.time;
            COMMIT
            """)
    }
}
