extension BenchmarkRow {
    /// How many saves a round makes.
    private static let commitCount = 500

    static let commit = BenchmarkRow(
        number: "9", word: "commit", title: "durable save of one changed object"
    ) { dataset in
        let identifiers = Array(
            Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(commitCount))
        return [
            Measurement(
                "9 commit", title: "durable save of one changed object",
                quantity: .elapsedNanoseconds, operation: "save", operations: identifiers.count,
                scales: false,
                targets: [.ratio(to: .raw, must: 1.15, aim: 0.65)],
                contestants: [
                    try RawContestants.commits(dataset, identifiers, isDurable: true, reopens: true)
                ]
                    + (try DuramenContestants.commits(
                        dataset, identifiers, isDurable: true, reopens: true))),
            Measurement(
                "9 commit, long log", title: "the same on a log that is as long as it gets",
                quantity: .elapsedNanoseconds, operation: "save", operations: identifiers.count,
                scales: false, targets: [.ratio(to: .raw, must: 1.15, aim: nil)],
                contestants: [
                    try RawContestants.commits(dataset, identifiers, isDurable: true)
                ] + (try DuramenContestants.commits(dataset, identifiers, isDurable: true))),
            Measurement(
                "9 commit, LMDB", title: "the same over LMDB", store: .lmdb,
                quantity: .elapsedNanoseconds, operation: "save", operations: identifiers.count,
                scales: false, targets: [.ratio(to: .rawLMDB, must: 1.15, aim: 1)],
                contestants: [
                    try RawLMDBContestants.commits(dataset, identifiers, isDurable: true)
                ] + (try DuramenContestants.commits(dataset, identifiers, .lmdb, isDurable: true))),
        ]
    }

    static let commitProcessor = BenchmarkRow(
        number: "9b", word: "commit-processor", title: "processor time of a save of one object"
    ) { dataset in
        let identifiers = Array(
            Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(4 * commitCount))
        return [
            Measurement(
                "9b commit", title: "processor time of a save of one changed object",
                operation: "save", operations: identifiers.count, scales: false,
                targets: [.over(.raw, must: 15_000, aim: 5_000)],
                contestants: [
                    try RawContestants.commits(dataset, identifiers, isDurable: false)
                ] + (try DuramenContestants.commits(dataset, identifiers, isDurable: false))),
            Measurement(
                "9b commit, LMDB", title: "the same over LMDB", store: .lmdb,
                operation: "save", operations: identifiers.count, scales: false,
                targets: [.over(.rawLMDB, must: 15_000, aim: 5_000)],
                contestants: [
                    try RawLMDBContestants.commits(dataset, identifiers, isDurable: false)
                ] + (try DuramenContestants.commits(dataset, identifiers, .lmdb, isDurable: false))),
            Measurement(
                "9b writers",
                title: "processor time of a read and a save of one object, by 16 threads at once",
                operation: "save", operations: identifiers.count, scales: false,
                targets: [.ratio(to: .grdbByHand, must: nil, aim: nil)],
                contestants: [
                    try GRDBContestants.commitsAtOnce(dataset, identifiers, threads: 16),
                    try DuramenContestants.commitsAtOnce(dataset, identifiers, threads: 16),
                ]),
        ]
    }
}
