extension BenchmarkRow {
    /// What contexts without objects cost a save of somebody else.
    static let idleContexts = BenchmarkRow(
        number: "32", word: "idle", title: "save of one object beside contexts that have none"
    ) { dataset in
        let identifiers = Array(Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(1_000))
        let count = 2_000
        return try [(StoreKind.sqlite, ""), (.lmdb, ", LMDB")].map { kind, name in
            Measurement(
                "32 idle\(name)",
                title: "save of one changed object beside \(count) background contexts",
                store: kind,
                quantity: .elapsedNanoseconds, operation: "save", operations: identifiers.count,
                scales: false, targets: [.ratio(to: .duramenAlone, must: 1.2, aim: 1.05)],
                contestants: try DuramenContestants.commitsBesideContexts(
                    dataset, identifiers, kind, count: count))
        }
    }
}
