extension BenchmarkRow {
    static let upsert = BenchmarkRow(
        number: "25", word: "upsert",
        title: "insert rows whose unique values are stored, by batch and objects"
    ) { dataset in
        [
            Measurement(
                "25 upsert",
                title: "insert \(dataset.rowCount) rows that are all known by their codes",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 2, aim: 1.3),
                    Target(
                        "objects, of raw SQLite", unit: "x", must: .atMost(3.5), aim: .atMost(2.5)
                    ) {
                        $0.ratio(of: .duramenObjects, to: .raw)
                    },
                ],
                contestants: [RawContestants.upsert(dataset)]
                    + DuramenContestants.upsert(dataset))
        ]
    }
}
