extension BenchmarkRow {
    static let namedProperties = BenchmarkRow(
        number: "3b", word: "named", title: "fetch only named properties"
    ) { dataset in
        try [false, true].map { withText in
            let name = withText ? "three, one a text" : "two numbers"
            return Measurement(
                "3b \(name)", title: "fetch named properties of all as tuples: \(name)",
                operations: dataset.rowCount,
                targets: [
                    .ratio(to: .raw, must: 1.4, aim: 1.15), .dictionaries,
                ],
                contestants: [try RawContestants.namedColumns(dataset, withText: withText)]
                    + (try DuramenContestants.dictionaries(dataset, withText: withText))
                    + (try DuramenContestants.namedProperties(dataset, withText: withText)))
        }
    }
}

extension Target {
    /// What dictionaries cost for the same, for comparison.
    fileprivate static var dictionaries: Target {
        Target("dictionaries, of raw SQLite", unit: "x", must: nil, aim: nil) {
            $0.ratio(of: .duramenDictionaries, to: .raw)
        }
    }
}
