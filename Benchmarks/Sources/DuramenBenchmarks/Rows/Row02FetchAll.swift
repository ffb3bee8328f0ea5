extension BenchmarkRow {
    static let fetchAll = BenchmarkRow(
        number: "2", word: "fetch", title: "fetch all objects, read every field"
    ) { dataset in
        [
            Measurement(
                "2 fetch", title: "fetch all objects, read every field",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 1.6, aim: 1.25),
                    .faster(than: .grdbCodable, must: 3, aim: 4),
                    .faster(than: .grdbByHand, must: 1, aim: nil),
                ],
                contestants: [try RawContestants.fetchAll(dataset)]
                    + GRDBContestants.fetchAll(dataset)
                    + (try DuramenContestants.fetchAll(dataset)))
        ]
    }

    static let fetchAllLMDB = BenchmarkRow(
        number: "2b", word: "fetch-lmdb", title: "the same over LMDB"
    ) { dataset in
        [
            Measurement(
                "2b fetch", title: "fetch all objects, read every field, over LMDB",
                store: .lmdb, operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 0.85, aim: 0.7),
                    .ratio(to: .rawLMDB, must: 4, aim: 3),
                ],
                contestants: [
                    try RawLMDBContestants.fetchAll(dataset), try RawContestants.fetchAll(dataset),
                ] + (try DuramenContestants.fetchAll(dataset, .lmdb)))
        ]
    }
}
