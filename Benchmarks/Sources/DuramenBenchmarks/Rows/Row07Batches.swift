extension BenchmarkRow {
    static let batchInsert = BenchmarkRow(
        number: "1b", word: "batch-insert", title: "insert without objects, one transaction"
    ) { dataset in
        [
            Measurement(
                "1b batch insert", title: "insert \(dataset.rowCount) rows without objects",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 1.1, aim: 0.9),
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    RawContestants.insert(dataset, .raw, .plain),
                    RawContestants.insert(dataset, .rawStoreLayout, .storeLayout),
                ] + DuramenContestants.batchInsert(dataset))
        ]
    }

    static let batchChanges = BenchmarkRow(
        number: "7", word: "batch", title: "update and delete by a predicate, without objects"
    ) { dataset in
        let half = dataset.rowCount / 2
        return [
            Measurement(
                "7 update", title: "give half of the rows another depth",
                operations: half,
                targets: [
                    .ratio(to: .raw, must: 1.05, aim: nil),
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    RawContestants.batchUpdate(dataset, .raw, .plain),
                    RawContestants.batchUpdate(dataset, .rawStoreLayout, .storeLayout),
                ] + DuramenContestants.batchUpdate(dataset)),
            Measurement(
                "7 delete", title: "delete half of the rows",
                operations: half,
                targets: [
                    .ratio(to: .raw, must: 1.05, aim: nil),
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    RawContestants.batchDelete(dataset, .raw, .plain),
                    RawContestants.batchDelete(dataset, .rawStoreLayout, .storeLayout),
                ] + DuramenContestants.batchDelete(dataset)),
        ]
    }
}
