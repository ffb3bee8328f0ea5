extension BenchmarkRow {
    /// Lists that follow changes. Each turn changes rows, so that contestants go their own ways
    /// from the same beginning; what they read is theirs alone.
    static let lists = BenchmarkRow(
        number: "10", word: "lists", title: "live sorted lists of all rows"
    ) { dataset in
        let few = Array(Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(200))
        let many = Array(Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(1_000))
        return [
            Measurement(
                "10 list", title: "change one row, save, have the new list",
                operation: "change", operations: few.count, scales: false,
                targets: [
                    .absolute("ns", must: 1_000_000, aim: 200_000),
                    .faster(than: .grdbByHand, must: 100, aim: nil),
                ],
                contestants: [try RawContestants.list(dataset, few)]
                    + (try GRDBContestants.list(dataset, few))
                    + (try DuramenContestants.list(dataset, few))),
            Measurement(
                "10 row", title: "change one row of a list in sections, have the change",
                operation: "change", operations: few.count, scales: false,
                targets: [.absolute("ns", must: 100_000, aim: nil)],
                contestants: try DuramenContestants.sectionedList(dataset, few, together: false)),
            Measurement(
                "10 rows", title: "merge a save of 1,000 rows into a list in sections",
                operation: "save", operations: 1, scales: false,
                targets: [.absolute("ns", must: 20_000_000, aim: nil)],
                contestants: try DuramenContestants.sectionedList(dataset, many, together: true)),
            Measurement(
                "10 bytes", title: "held bytes of a listed row with its object",
                quantity: .heldBytes, operation: "row", operations: dataset.rowCount,
                targets: [.ofTheListAlone],
                contestants: try DuramenContestants.heldLists(dataset)),
        ]
    }
}

extension BenchmarkRow {
    /// What somebody else saves, of which the store tells no more than that it was saved, or its
    /// history.
    static let listsOfOthers = BenchmarkRow(
        number: "10b", word: "lists-of-others", title: "a live sorted list that others change"
    ) { dataset in
        let few = Array(Workload.shuffledIdentifiers(of: dataset.rowCount).prefix(20))
        return [
            Measurement(
                "10b list", title: "somebody else changes a row and saves, have the new list",
                operation: "change", operations: few.count, scales: false,
                targets: [
                    .ratio(to: .duramenRefetch, must: 0.2, aim: 0.12),
                    Target(
                        "without history, of Duramen, fetched anew", unit: "x", must: .atMost(0.2),
                        aim: .atMost(0.12)
                    ) { $0.ratio(of: .duramenWithoutHistory, to: .duramenRefetch) },
                ],
                contestants: try DuramenContestants.listOfOthers(dataset, few))
        ]
    }
}

extension Target {
    fileprivate static var ofTheListAlone: Target {
        Target("beyond the object", unit: "bytes", must: .atMost(48), aim: nil) {
            $0.excess(of: .duramen, over: .duramenObjects)
        }
    }
}
