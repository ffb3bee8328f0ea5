extension BenchmarkRow {
    static let lmdb = BenchmarkRow(
        number: "17", word: "lmdb", title: "over LMDB: touch one field, to-one name, update"
    ) { dataset in
        let identifiers = Array(
            Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(dataset.rowCount / 10))
        return [
            Measurement(
                "17 touch", title: "fetch all objects, touch one field, over LMDB", store: .lmdb,
                operations: dataset.rowCount,
                targets: [.ratio(to: .rawLMDB, must: 9, aim: 5)],
                contestants: [try RawLMDBContestants.touchOneField(dataset)]
                    + (try DuramenContestants.touchOneField(dataset, .lmdb))),
            Measurement(
                "17 to-one",
                title: "fetch all objects, read the name of each one's region, over LMDB",
                store: .lmdb, operations: dataset.rowCount,
                targets: [.ratio(to: .rawLMDB, must: 3, aim: 2)],
                contestants: [try RawLMDBContestants.regionNames(dataset)]
                    + (try DuramenContestants.regionNames(dataset, .lmdb))),
            Measurement(
                "17 update", title: "change a field of 10 % of the objects, save, over LMDB",
                store: .lmdb, operations: identifiers.count,
                targets: [.ratio(to: .rawLMDB, must: 3, aim: 2)],
                contestants: [try RawLMDBContestants.update(dataset, identifiers)]
                    + (try DuramenContestants.update(dataset, identifiers, .lmdb))),
        ]
    }
}
