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
}
