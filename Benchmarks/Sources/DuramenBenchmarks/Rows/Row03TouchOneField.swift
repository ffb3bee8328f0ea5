extension BenchmarkRow {
    static let touchOneField = BenchmarkRow(
        number: "3", word: "touch", title: "fetch all objects, touch one field"
    ) { dataset in
        [
            Measurement(
                "3 touch", title: "fetch all objects, touch one field",
                operations: dataset.rowCount,
                targets: [.ratio(to: .raw, must: 2.7, aim: 2)],
                contestants: [try RawContestants.touchOneField(dataset)]
                    + GRDBContestants.touchOneField(dataset)
                    + (try DuramenContestants.touchOneField(dataset)))
        ]
    }
}
