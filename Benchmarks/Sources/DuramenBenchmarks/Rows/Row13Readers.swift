extension BenchmarkRow {
    static let readers = BenchmarkRow(
        number: "13", word: "readers",
        title: "look-ups with a writer at work, each in its own transaction"
    ) { dataset in
        let shuffled = Workload.shuffledIdentifiers(of: dataset.rowCount)
        let identifiers = Array(shuffled.prefix(dataset.rowCount / 5))
        // Rows in the same pages, which nobody reads, so that what is read stays the same.
        let written = Array(shuffled.dropFirst(identifiers.count))
        @MainActor func alone(_ kind: StoreKind, _ raw: Contestant) throws -> Measurement {
            Measurement(
                "13 own transaction, \(kind.rawValue)",
                title: "object by identifier, each in a unit of work of its own, every field",
                store: kind, operation: "lookup", operations: identifiers.count, scales: false,
                targets: [.ratio(to: kind.raw, must: 2, aim: 1.4)],
                contestants: [raw]
                    + (try DuramenContestants.lookupOneByOne(dataset, identifiers, kind)))
        }
        // The targets are those of a writer that changes 100 rows at random at a time. One that
        // saves row by row makes a new state for every few look-ups, and an engine with a cache
        // reads its pages again for each.
        @MainActor func beside(_ kind: StoreKind, _ rows: Int, must: Double?) throws -> Measurement
        {
            let raw =
                kind == .sqlite
                ? try RawContestants.lookupBesideWriter(
                    dataset, identifiers, written: written, rowsPerSave: rows)
                : []
            return Measurement(
                "13 writer of \(rows), \(kind.rawValue)",
                title: "the same while a thread saves \(rows) rows at a time, by the clock",
                store: kind, quantity: .elapsedNanoseconds, operation: "lookup",
                operations: identifiers.count, scales: false,
                targets: [.speedKept(must: must, aim: must.map { $0 + 0.1 })]
                    + (raw.isEmpty ? [] : [.rawSpeedKept]),
                contestants: raw
                    + (try DuramenContestants.lookupBesideWriter(
                        dataset, identifiers, kind, written: written, rowsPerSave: rows)))
        }
        return [
            try alone(.sqlite, RawContestants.lookupOneByOne(dataset, identifiers)),
            try beside(.sqlite, 100, must: 0.75), try beside(.sqlite, 1, must: nil),
            try alone(.lmdb, RawLMDBContestants.lookupOneByOne(dataset, identifiers)),
            try beside(.lmdb, 100, must: 0.75), try beside(.lmdb, 1, must: nil),
        ]
    }
}
