extension BenchmarkRow {
    /// What a checksum of each row costs.
    static let checksums = BenchmarkRow(
        number: "35", word: "checksums", title: "a checksum of each row of a SQLite store"
    ) { dataset in
        let changed = Array(Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(10_000))
        return [
            Measurement(
                "35 checksums insert", title: "insert \(dataset.rowCount) objects, with checksums",
                operations: dataset.rowCount,
                targets: [.ratio(to: .duramenWithoutChecksums, must: 2.5, aim: 1.8)],
                contestants: DuramenContestants.insertWithChecksums(dataset)),
            Measurement(
                "35 checksums fetch",
                title: "fetch all objects, read every field, with checksums",
                operations: dataset.rowCount,
                targets: [.ratio(to: .duramenWithoutChecksums, must: 4, aim: 2.5)],
                contestants: try DuramenContestants.fetchWithChecksums(dataset)),
            Measurement(
                "35 checksums change", title: "save changes of ten objects, with checksums",
                operation: "save", operations: changed.count / 10,
                targets: [.ratio(to: .duramenWithoutChecksums, must: 2, aim: 1.5)],
                contestants: try DuramenContestants.changeWithChecksums(dataset, changed)),
        ]
    }
}
