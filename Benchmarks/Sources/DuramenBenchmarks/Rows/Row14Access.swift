extension BenchmarkRow {
    static let access = BenchmarkRow(
        number: "14", word: "access", title: "property read, and write while dirty"
    ) { dataset in
        [
            try await access(dataset, .read, must: 3, aim: 1.2),
            try await access(dataset, .write, must: 8, aim: 3),
        ]
    }

    private static func access(
        _ dataset: Dataset, _ access: PropertyAccess, must: Double, aim: Double
    ) async throws -> Measurement {
        // Whatever the number of rows: the loop must outlast the clock's grain by far.
        let times = 20_000_000
        return Measurement(
            "14 \(access.rawValue)", title: "\(access.rawValue) a property of one object",
            operation: "access", operations: times, scales: false,
            targets: [.overEmptyLoop(must: must, aim: aim)],
            contestants: [
                PlainObjectContestants.emptyLoop(access, times),
                PlainObjectContestants.access(dataset, access, times),
            ] + (try DuramenContestants.access(dataset, access, times)))
    }
}
