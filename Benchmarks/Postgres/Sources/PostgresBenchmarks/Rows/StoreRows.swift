import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import Foundation

/// The rows about the store by itself: a key, a fault, all rows, a save.
@MainActor
final class StoreRows {
    private let store: any PersistentStore
    private let raw: RawQuakes
    private let quake: EntityID
    private let keys: [Int64]
    private let schema = "bench_rows"
    static let rowCount = 10_000

    init(_ server: String) throws {
        let made = QuakeStore(server, schema: schema)
        try made.fill(Workload.quakes(Self.rowCount))
        let model = try QuakeStore.model.get()
        store = try made.description.open(model: model)
        guard let entity = model.entities.first(where: { $0.name == "Quake" }) else {
            throw RawFailure(words: "no entity")
        }
        quake = entity.id
        raw = try RawQuakes(server, schema: schema)
        keys = try raw.keys()
        precondition(keys.count == Self.rowCount)
    }

    func end() throws {
        raw.close()
        try store.close()
    }

    private func id(_ index: Int) -> ManagedObjectID {
        ManagedObjectID(
            store: store.handle, entity: store.model[quake].handle,
            key: keys[index * 7_919 % keys.count])
    }

    private func key(_ index: Int) -> Int64 { keys[index * 7_919 % keys.count] }

    func measureKey(_ report: Report) throws {
        try report.measure(
            "1 key in a new state, now and then (store)",
            [readKeys(pause: 100), rawRead(pause: 100)], limits: [2.4])
        try report.measure(
            "1 key in a new state, without a pause (store)",
            [readKeys(pause: 0), rawRead(pause: 0), rawReadInState()], limits: [nil, nil])
    }

    private func readKeys(pause: UInt32) -> Contestant {
        Contestant(name: "-") { [self] in
            try Clock.median(1_000, pause: pause) { index in
                let row = try store.snapshot().row(for: id(index))
                precondition(row != nil)
            }
        }
    }

    private func rawRead(pause: UInt32) -> Contestant {
        Contestant(name: "raw") { [self] in
            var checksum = Checksum()
            return try Clock.median(1_000, pause: pause) { index in
                try raw.read(key(index), &checksum)
            }
        }
    }

    private func rawReadInState() -> Contestant {
        Contestant(name: "raw, same statements") { [self] in
            var checksum = Checksum()
            return try Clock.median(1_000) { index in
                try raw.readInState(key(index), &checksum)
            }
        }
    }

    func measureFault(_ report: Report) throws {
        try report.measure(
            "2 fault in a held state (store)",
            [
                Contestant(name: "-") { [self] in
                    let snapshot = try store.snapshot()
                    return try Clock.median(1_000) { index in
                        let row = try snapshot.row(for: id(index))
                        precondition(row != nil)
                    }
                },
                Contestant(name: "raw") { [self] in
                    try raw.connection.execute("begin")
                    defer { try? raw.connection.execute("commit") }
                    return try rawRead(pause: 0).body()
                },
            ], limits: [1.4])
    }

    func measureWalk(_ report: Report) throws {
        let query = StoreQuery(entity: quake)
        let prepared = store.pushdown(for: query).prepared
        let expected = try raw.walk(makingTexts: false).value
        try report.measure(
            "3 10,000 rows (store)",
            [
                Contestant(name: "-") { [self] in
                    try Clock.median(5) { _ in
                        var checksum = Checksum()
                        let cursor = try store.snapshot().cursor(prepared)
                        while let batch = try cursor.next(maximumRows: 10_000) {
                            for row in batch { checksum.add(row) }
                        }
                        precondition(checksum.value == expected)
                    }
                },
                Contestant(name: "raw result") { [self] in
                    try Clock.median(5) { _ in
                        let sum = try raw.walk(makingTexts: false)
                        precondition(sum.value == expected)
                    }
                },
                Contestant(name: "raw cursor") { [self] in
                    try Clock.median(5) { _ in
                        let sum = try raw.walkCursor()
                        precondition(sum.value == expected)
                    }
                },
            ], limits: [1.6, nil])
    }

    func measureSave(_ report: Report) throws {
        let save = try RawSave(
            raw.connection, schema: schema, keys: Array(keys[10..<13]), stamp: 1 << 40)
        let ids = keys[0..<3].map {
            ManagedObjectID(store: store.handle, entity: store.model[quake].handle, key: $0)
        }
        var rows = try ids.compactMap { try store.snapshot().row(for: $0) }
        try report.measure(
            "5 save of 3 rows (store)",
            [
                Contestant(name: "-") { [self] in
                    try Clock.median(200) { index in
                        let changes = self.changes(rows, Double(index % 10))
                        guard case .saved(let receipt) = try store.save(changes) else {
                            throw RawFailure(words: "conflict")
                        }
                        rows = zip(changes.updates, receipt.updatedVersions).map {
                            copy($0.row, magnitude: Double(index % 10), version: $1)
                        }
                    }
                },
                Contestant(name: "raw pipeline") { try Clock.median(200) { _ in try save.save() } },
            ], limits: [1.4])
    }

    private func changes(_ rows: [Row], _ magnitude: Double) -> ChangeSet {
        var slots = SlotSet()
        slots.insert(4)
        return ChangeSet(
            updates: rows.map { row in
                RowUpdate(
                    row: copy(row, magnitude: magnitude, version: row.version),
                    baseVersion: row.version, changedSlots: slots)
            })
    }

    private func copy(_ row: Row, magnitude: Double, version: RowVersion) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        let layout = store.model[quake].layout
        builder.beginRow(
            entity: quake, slotCount: layout.slotCount, key: row.key, version: version)
        for slot in 0..<layout.slotCount {
            if slot == 4 {
                builder.set(double: magnitude, at: slot)
            } else {
                builder.copy(slot, of: row, layout)
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }
}
