extension BenchmarkRow {
    static let readers = BenchmarkRow(
        number: "13", word: "readers",
        title: "look-ups with a writer at work, each in its own transaction"
    ) { dataset in
        let identifiers = Array(
            Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(dataset.rowCount / 5))
        @MainActor func measurements(_ kind: StoreKind, _ raw: Contestant) throws -> [Measurement] {
            [
                Measurement(
                    "13 own transaction, \(kind.rawValue)",
                    title: "object by identifier, each in a unit of work of its own, every field",
                    store: kind, operation: "lookup", operations: identifiers.count, scales: false,
                    targets: [.ratio(to: kind.raw, must: 2, aim: 1.4)],
                    contestants: [raw]
                        + (try DuramenContestants.lookupOneByOne(dataset, identifiers, kind))),
                Measurement(
                    "13 writer, \(kind.rawValue)",
                    title: "the same while a thread saves, by the clock",
                    store: kind, quantity: .elapsedNanoseconds, operation: "lookup",
                    operations: identifiers.count, scales: false,
                    targets: [.speedKept(must: 0.75, aim: 0.85)],
                    contestants: try DuramenContestants.lookupBesideWriter(
                        dataset, identifiers, kind)),
            ]
        }
        return try measurements(.sqlite, RawContestants.lookupOneByOne(dataset, identifiers))
            + measurements(.lmdb, RawLMDBContestants.lookupOneByOne(dataset, identifiers))
    }
}
