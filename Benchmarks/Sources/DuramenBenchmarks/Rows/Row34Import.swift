extension BenchmarkRow {
    static let imports = BenchmarkRow(
        number: "34", word: "import",
        title: "import JSON with related objects, by import and by batches"
    ) { dataset in
        let feed = DuramenContestants.feed(dataset.rowCount)
        return [StoreKind.sqlite, .lmdb, nil].map { kind in
            let name = kind?.rawValue ?? "memory"
            return Measurement(
                "34 import \(name)",
                title: "import \(dataset.rowCount) books with authors, \(name)",
                store: kind ?? .sqlite, operations: dataset.rowCount,
                targets: [.ratio(to: .duramenBatches, must: 1.5, aim: 1)],
                contestants: [
                    DuramenContestants.importByHand(dataset, kind, feed),
                    DuramenContestants.importFeed(dataset, kind, feed),
                ])
        }
    }
}
