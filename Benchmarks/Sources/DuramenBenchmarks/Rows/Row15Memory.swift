extension BenchmarkRow {
    static let memoryStore = BenchmarkRow(
        number: "15", word: "memory-store", title: "the store in memory: predicate scan, sort"
    ) { dataset in
        // The lines are for a context that has the objects, as the array by hand has them. Who asks
        // in a new context pays for making them, too.
        try [true, false].flatMap { registered in
            let name = registered ? "" : ", new objects"
            return [
                Measurement(
                    "15 scan\(name)", title: "fetch 1 % by a range of numbers, in memory\(name)",
                    operations: dataset.rowCount,
                    targets: [
                        .ratio(
                            to: .memory, must: registered ? 2 : nil, aim: registered ? 1.2 : nil)
                    ],
                    contestants: [PlainObjectContestants.range(dataset, Questions.onePercent)]
                        + (try DuramenContestants.memoryRange(
                            dataset, Questions.onePercent, registered: registered))),
                Measurement(
                    "15 sort\(name)", title: "fetch all sorted by a number, in memory\(name)",
                    operations: dataset.rowCount,
                    targets: [
                        .ratio(
                            to: .memory, must: registered ? 1.3 : nil, aim: registered ? 1 : nil)
                    ],
                    contestants: [PlainObjectContestants.sort(dataset)]
                        + (try DuramenContestants.memorySort(dataset, registered: registered))),
            ]
        }
    }
}
