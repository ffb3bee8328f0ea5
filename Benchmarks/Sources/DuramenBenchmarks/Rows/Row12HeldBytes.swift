extension BenchmarkRow {
    /// Counts what the allocator has given out and not taken back, with its own headers, between
    /// the start of a fetch and its end, while the result is held. Resident memory would be the
    /// simpler measure, but it does not fall when objects are freed, so that a second contestant in
    /// the same process would seem to hold nothing. Caches of SQLite are full after the warm-up.
    static let heldBytes = BenchmarkRow(
        number: "12", word: "memory", title: "held bytes of an object and of a listed row"
    ) { dataset in
        [
            Measurement(
                "12 object", title: "held bytes of each object of a fetched list",
                quantity: .heldBytes, operation: "object", operations: dataset.rowCount,
                targets: [.absolute("bytes", must: 260, aim: 200)],
                contestants: [
                    try RawContestants.held(dataset), try PlainObjectContestants.held(dataset),
                ] + GRDBContestants.held(dataset)
                    + (try DuramenContestants.heldObjects(dataset))),
            Measurement(
                "12 row", title: "held bytes of each row of a list without objects",
                quantity: .heldBytes, operation: "row", operations: dataset.rowCount,
                targets: [.absolute("bytes", must: 140, aim: 126)],
                contestants: [try RawContestants.held(dataset)]
                    + (try DuramenContestants.heldRows(dataset))),
        ]
    }
}
