extension BenchmarkRow {
    static let update = BenchmarkRow(
        number: "6", word: "update", title: "change a column of 10 % of the objects, save"
    ) { dataset in
        let identifiers = Array(
            Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(dataset.rowCount / 10))
        return [
            Measurement(
                "6 update", title: "change a column of 10 % of the objects, save",
                operations: identifiers.count,
                targets: [
                    .ratio(to: .raw, must: 1.1, aim: 0.85),
                    .faster(than: .grdbCodable, must: 12, aim: 18),
                    .faster(than: .grdbByHand, must: nil, aim: nil),
                ],
                contestants: [try RawContestants.update(dataset, identifiers)]
                    + (try GRDBContestants.update(dataset, identifiers))
                    + (try DuramenContestants.update(dataset, identifiers)))
        ]
    }
}
