extension BenchmarkRow {
    static let batchInsertHistory = BenchmarkRow(
        number: "1c", word: "batch-insert-history",
        title: "insert without objects into a store that keeps a history"
    ) { dataset in
        [
            Measurement(
                "1c batch insert",
                title: "insert \(dataset.rowCount) rows without objects, with history",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 2.2, aim: 1.8),
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    RawContestants.insert(dataset, .raw, .plain),
                    RawContestants.insert(dataset, .rawStoreLayout, .storeLayout),
                ] + DuramenContestants.batchInsert(dataset, keepsHistory: true))
        ]
    }

    /// What a history costs a save, with a wait for the disk each time.
    static let history = BenchmarkRow(
        number: "18", word: "history", title: "durable save of ten changed objects, with history"
    ) { dataset in
        let identifiers = Array(Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(3_000))
        return try [(StoreKind.sqlite, "", 1.15), (.lmdb, ", LMDB", 1.25)].map { kind, name, must in
            Measurement(
                "18 history\(name)", title: "durable save of ten changed objects", store: kind,
                quantity: .elapsedNanoseconds, operation: "save",
                operations: identifiers.count / 10, scales: false,
                targets: [.ratio(to: .duramenWithoutHistory, must: must, aim: 1.05)],
                contestants: try DuramenContestants.historyCommits(dataset, identifiers, kind))
        }
    }
}
