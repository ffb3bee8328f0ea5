extension BenchmarkRow {
    static let insert = BenchmarkRow(
        number: "1", word: "insert", title: "insert objects and save, one transaction"
    ) { dataset in
        [
            Measurement(
                "1 insert", title: "insert \(dataset.rowCount) objects and save, one transaction",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 1.6, aim: 1.3),
                    .faster(than: .grdbCodable, must: 5, aim: 6.5),
                    .faster(than: .grdbByHand, must: nil, aim: nil),
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    RawContestants.insert(dataset, .raw, .plain),
                    RawContestants.insert(dataset, .rawStoreLayout, .storeLayout),
                ] + GRDBContestants.insert(dataset)
                    + DuramenContestants.insert(dataset))
        ]
    }

    static let insertLMDB = BenchmarkRow(
        number: "1d", word: "insert-lmdb", title: "the same over LMDB"
    ) { dataset in
        [
            Measurement(
                "1d insert", title: "insert \(dataset.rowCount) objects and save, over LMDB",
                store: .lmdb, operations: dataset.rowCount,
                targets: [
                    .ratio(to: .rawLMDB, must: 3.5, aim: 2.3),
                    .ratio(to: .raw, must: 0.6, aim: nil),
                ],
                contestants: [
                    RawLMDBContestants.insert(dataset),
                    RawContestants.insert(dataset, .raw, .plain),
                ] + DuramenContestants.insert(dataset, .lmdb))
        ]
    }
}
