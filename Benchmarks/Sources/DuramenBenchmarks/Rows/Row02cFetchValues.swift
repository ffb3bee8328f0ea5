extension BenchmarkRow {
    static let fetchValues = BenchmarkRow(
        number: "2c", word: "values", title: "fetch structs and tuples, without objects"
    ) { dataset in
        [
            Measurement(
                "2c structs", title: "fetch all as structs, read every field",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 1.25, aim: 1.1),
                    .faster(than: .grdbCodable, must: nil, aim: nil),
                    .faster(than: .grdbByHand, must: nil, aim: nil),
                ],
                contestants: [try RawContestants.fetchAll(dataset)]
                    + GRDBContestants.fetchAll(dataset)
                    + (try DuramenContestants.fetchStructs(dataset))),
            Measurement(
                "2c tuples", title: "fetch all as tuples of every field, read them",
                operations: dataset.rowCount,
                targets: [.ratio(to: .raw, must: 1.25, aim: 1.1)],
                contestants: [try RawContestants.fetchAll(dataset)]
                    + (try DuramenContestants.fetchTuples(dataset))),
        ]
    }
}
