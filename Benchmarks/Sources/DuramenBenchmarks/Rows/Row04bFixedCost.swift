extension BenchmarkRow {
    static let fixedCost = BenchmarkRow(
        number: "4b", word: "fixed", title: "fixed cost of a request of known shape"
    ) { dataset in
        let codes = Workload.shuffledIdentifiers(of: dataset.rowCount)
            .prefix(requestCount).map { dataset.quakes[Int($0) - 1].code }
        let absent = codes.map { "no" + $0.dropFirst(2) }
        @MainActor func measurement(
            _ name: String, _ title: String, _ codes: [String], _ form: RequestForm, _ must: Double?
        ) throws -> Measurement {
            let grdb = try form == .typed ? [GRDBContestants.lookupByCode(dataset, codes)] : []
            return Measurement(
                "4b \(name)", title: title, operation: "request", operations: codes.count,
                scales: false,
                targets: [.over(.raw, must: must, aim: must.map { _ in 1_500 })]
                    + (grdb.isEmpty ? [] : [.ratio(to: .grdbByHand, must: nil, aim: nil)]),
                contestants: [try RawContestants.lookupByCode(dataset, codes)] + grdb
                    + (try DuramenContestants.lookupByCode(dataset, codes, form)))
        }
        return [
            try measurement(
                "none", "fetch by an indexed text that nobody has", absent, .typed, 4_000),
            try measurement(
                "one", "fetch by an indexed text that one object has, every field", codes, .typed,
                4_000),
            try measurement(
                "template", "the same, the predicate parsed once, with a variable", codes,
                .template, 4_000),
            try measurement(
                "format", "the same, the predicate parsed each time", codes, .format, nil),
            Measurement(
                "4b parse", title: "read a format string of three conditions",
                operation: "format string", operations: requestCount, scales: false,
                targets: [.absolute("ns", must: nil, aim: nil)],
                contestants: DuramenContestants.parseFormat(times: requestCount)),
        ]
    }

    private static let requestCount = 5_000
}
