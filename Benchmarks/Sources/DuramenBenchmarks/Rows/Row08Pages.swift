extension BenchmarkRow {
    static let pages = BenchmarkRow(
        number: "8", word: "page",
        title: "page of 50 by an index, the first and a deep one by cursor"
    ) { dataset in
        let times = Questions.pageCount
        let depth = Questions.depth(of: dataset.rowCount)
        return [
            Measurement(
                "8 first page", title: "first page of 50 by an index, every field",
                operation: "page", operations: times, scales: false,
                targets: [.ratio(to: .raw, must: 1.6, aim: 1.3)],
                contestants: [
                    try RawContestants.page(dataset, offset: 0, times: times),
                    try DuramenContestants.page(dataset, offset: 0, times: times),
                ]),
            Measurement(
                "8 deep page", title: "page of 50 behind an object, \(depth) places down",
                operation: "page", operations: times, scales: false,
                targets: [
                    .ofFirstPage, .rawOfFirstPage, .ratio(to: .raw, must: nil, aim: nil),
                ],
                contestants: [
                    try RawContestants.page(
                        dataset, offset: 0, times: times, .rawFirstPage, operations: times),
                    try RawContestants.pageAfter(dataset, offset: depth, times: times),
                    try DuramenContestants.page(
                        dataset, offset: 0, times: times, .duramenFirstPage, operations: times),
                    try DuramenContestants.pageAfter(dataset, offset: depth, times: times),
                ]),
        ]
    }

    static let offsetPages = BenchmarkRow(
        number: "8b", word: "page-offset", title: "page of 50 at an offset"
    ) { dataset in
        let times = Questions.deepPageCount
        let depth = Questions.depth(of: dataset.rowCount)
        return [
            Measurement(
                "8b offset", title: "page of 50 by an index, at offset \(depth), every field",
                operation: "page", operations: times, scales: false,
                targets: [
                    .ratio(to: .raw, must: 0.6, aim: 0.45),
                    .ratio(to: .rawIdentifiersFirst, must: nil, aim: nil),
                ],
                contestants: [
                    try RawContestants.page(dataset, offset: depth, times: times),
                    try RawContestants.page(
                        dataset, offset: depth, times: times, .rawIdentifiersFirst),
                    try DuramenContestants.page(dataset, offset: depth, times: times),
                ])
        ]
    }
}

extension Target {
    /// The deep page against the first one of the same round.
    fileprivate static var ofFirstPage: Target {
        Target("of the first page", unit: "x", must: .atMost(1.1), aim: nil) {
            $0.ratio(of: .duramen, to: .duramenFirstPage)
        }
    }

    /// The same of the engine alone, which enters its index and compares each row with the place.
    fileprivate static var rawOfFirstPage: Target {
        Target("raw SQLite's own deep page of its first", unit: "x", must: nil, aim: nil) {
            $0.ratio(of: .raw, to: .rawFirstPage)
        }
    }
}
