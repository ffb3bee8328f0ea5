extension BenchmarkRow {
    static let regionNames = BenchmarkRow(
        number: "11", word: "to-one", title: "to-one name over all objects"
    ) { dataset in
        [
            Measurement(
                "11 to-one", title: "fetch all objects, read the name of each one's region",
                operations: dataset.rowCount,
                targets: [.ratio(to: .raw, must: 1.25, aim: 1.1)],
                contestants: [try RawContestants.regionNames(dataset)]
                    + GRDBContestants.regionNames(dataset)
                    + (try DuramenContestants.regionNames(dataset))),
            Measurement(
                "11 prefetched",
                title: "the same walk over regions that were read with the objects",
                operations: dataset.rowCount,
                targets: [
                    Target(
                        "of the walk alone", unit: "x", must: .atMost(1.1), aim: .atMost(1)
                    ) { $0.ratio(of: .duramenPrefetched, to: .duramen) }
                ],
                contestants: try DuramenContestants.regionNames(dataset)
                    + DuramenContestants.regionNames(dataset, isPrefetched: true)),
            Measurement(
                "11 statements", title: "statements of the same walk",
                quantity: .statements(try DuramenContestants.statementCount(dataset)),
                operation: "walk", operations: 1, scales: false,
                // One for the quakes, and one for each 500 regions that are faults.
                targets: [.absolute("statements", must: statementLimit, aim: statementLimit)],
                contestants: try DuramenContestants.regionNames(dataset)),
        ]
    }

    private static let statementLimit = Double(1 + (Workload.regionCount + 499) / 500)

    static let region = BenchmarkRow(
        number: "11b", word: "to-one-step", title: "step to a registered object"
    ) { dataset in
        [
            Measurement(
                "11b step", title: "step from each object to its registered region",
                operation: "step", operations: dataset.rowCount,
                // The walk over the array counts each object too, which is no part of a step.
                targets: [.overEmptyLoop(must: 40, aim: 5)],
                contestants: [
                    PlainObjectContestants.emptyWalk(dataset),
                    PlainObjectContestants.region(dataset),
                ] + (try DuramenContestants.region(dataset)))
        ]
    }
}
