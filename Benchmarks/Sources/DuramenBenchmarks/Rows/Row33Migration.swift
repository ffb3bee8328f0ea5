extension BenchmarkRow {
    static let migration = BenchmarkRow(
        number: "33", word: "migration", title: "open a store with the next version of its model"
    ) { dataset in
        try ModelHop.all.map { hop in
            let limit = hop.word == "many" ? (must: 1.5, aim: 1.2) : (must: 1.3, aim: 1.1)
            return Measurement(
                "33 \(hop.word)", title: hop.title, operation: "row",
                operations: dataset.rowCount,
                targets: [.ratio(to: .raw, must: limit.must, aim: limit.aim)],
                contestants: [
                    try RawContestants.migrate(dataset, by: hop),
                    try DuramenContestants.migrate(dataset, .sqlite, to: hop),
                ])
        } + [
            try opening(dataset, .sqlite, must: 50e6, aim: 20e6),
            try opening(dataset, .lmdb, must: 30e6, aim: 15e6),
            try fetching(dataset, "33 upgrade", versionsBehind: 1, must: 1.6),
            try fetching(dataset, "33 upgrade three", versionsBehind: 3, must: 2),
            try transforming(dataset, .sqlite), try transforming(dataset, .lmdb),
        ]
    }

    /// A step of a stage, with the copy that it works on, beside a statement that fills all rows.
    private static func transforming(_ dataset: Dataset, _ kind: StoreKind) throws -> Measurement {
        Measurement(
            "33 transform \(kind.rawValue)", title: "compute two values of one, by a stage",
            store: kind, operation: "row", operations: dataset.rowCount,
            targets: [.ratio(to: .raw, must: 5, aim: 3)],
            contestants: [
                try RawContestants.migrate(dataset, by: ModelHop.all[0]),
                try DuramenContestants.transform(dataset, kind),
            ])
    }

    private static func fetching(
        _ dataset: Dataset, _ name: String, versionsBehind count: Int, must: Double
    ) throws -> Measurement {
        Measurement(
            name, title: "fetch all objects, whose rows are \(count) versions behind",
            store: .lmdb, operations: dataset.rowCount,
            targets: [.ratio(to: .duramenUnchanged, must: must, aim: 1.3)],
            contestants: [
                try DuramenContestants.fetchUpgraded(dataset, .duramenUnchanged, versionsBehind: 0),
                try DuramenContestants.fetchUpgraded(dataset, .duramen, versionsBehind: count),
            ])
    }

    private static func opening(
        _ dataset: Dataset, _ kind: StoreKind, must: Double, aim: Double
    ) throws -> Measurement {
        Measurement(
            "33 rename \(kind.rawValue)", title: ModelHop.rename.title, store: kind,
            quantity: .elapsedNanoseconds, operation: "opening", operations: 1, scales: false,
            targets: [.over(.duramenUnchanged, must: must, aim: aim)],
            contestants: [
                try DuramenContestants.migrate(dataset, kind, .duramenUnchanged, to: nil),
                try DuramenContestants.migrate(dataset, kind, to: .rename),
            ])
    }
}
