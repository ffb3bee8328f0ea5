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
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    RawContestants.insert(dataset, .raw, .plain),
                    RawContestants.insert(dataset, .rawStoreLayout, .storeLayout),
                ] + GRDBContestants.insert(dataset)
                    + DuramenContestants.insert(dataset))
        ]
    }
}
