extension BenchmarkRow {
    static let predicate = BenchmarkRow(
        number: "4", word: "predicate", title: "predicate of 1 % by scan and by index, every field"
    ) { dataset in
        let matches = dataset.quakes.count { Questions.onePercent.contains($0.magnitude) }
        let near = dataset.quakes.count {
            Questions.tenPercent.contains($0.magnitude) && $0.place.contains(Questions.town)
        }
        return [
            Measurement(
                "4 scan", title: "fetch the objects of a range of numbers, by scan",
                operation: "match", operations: matches,
                targets: [
                    .ratio(to: .raw, must: 1.15, aim: 1.05),
                    .ratio(to: .rawStoreLayout, must: nil, aim: nil),
                ],
                contestants: [
                    try RawContestants.range(dataset, dataset.connection, Questions.onePercent),
                    try RawContestants.rangeOfStore(dataset, Questions.onePercent),
                ] + (try DuramenContestants.range(dataset, Questions.onePercent))),
            Measurement(
                "4 scan, text",
                title: "fetch the objects of a range whose text has a word, by scan",
                operation: "match", operations: near,
                targets: [.ratio(to: .raw, must: 1.15, aim: 1.05)],
                contestants: [
                    try RawContestants.rangeNearTown(
                        dataset, Questions.tenPercent, Questions.town)
                ]
                    + (try DuramenContestants.rangeNearTown(
                        dataset, Questions.tenPercent, Questions.town))),
            Measurement(
                "4 index", title: "fetch the objects of a range of numbers, by index",
                operation: "match", operations: matches,
                targets: [
                    .ratio(to: .raw, must: 1.35, aim: 1.15),
                    // Duramen's results are always in an order, that of IDs where no other is asked
                    // for.
                    .ratio(to: .rawOrdered, must: nil, aim: nil),
                ],
                contestants: [
                    try RawContestants.range(
                        dataset, dataset.indexedConnection(), Questions.onePercent),
                    try RawContestants.range(
                        dataset, dataset.indexedConnection(), Questions.onePercent, .rawOrdered),
                ] + (try DuramenContestants.indexedRange(dataset, Questions.onePercent))),
        ]
    }
}
