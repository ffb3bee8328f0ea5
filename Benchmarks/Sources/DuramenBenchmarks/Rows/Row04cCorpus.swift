import Duramen

extension BenchmarkRow {
    /// Row 4 over data of other people, where `DURAMEN_CORPUS` says where it is.
    static let corpus = BenchmarkRow(
        number: "4c", word: "corpus", title: "predicates over Chinook and OpenFlights"
    ) { dataset in
        guard let folder = CorpusValues.folder else {
            print(
                "\n4c corpus: skipped. Set DURAMEN_CORPUS to the folder whose 'data' has the sets.")
            return []
        }
        let stores = try CorpusStores(
            dataset, tracks: CorpusValues.tracks(in: folder),
            airports: CorpusValues.airports(in: folder))
        @MainActor func measurement(
            _ name: String, _ title: String, must: Double, aim: Double, _ contestants: [Contestant]
        ) -> Measurement {
            Measurement(
                "4c \(name)", title: title, operation: "fetch",
                operations: CorpusContestants.times, scales: false,
                targets: [.ratio(to: .raw, must: must, aim: aim)], contestants: contestants)
        }
        return [
            measurement(
                "tracks, range", "the tracks of about five minutes, by scan", must: 1.15, aim: 1.05,
                try CorpusContestants.tracks(
                    stores,
                    FetchPredicate("milliseconds >= 300000 AND milliseconds < 304000"),
                    sql: "milliseconds >= 300000 AND milliseconds < 304000")),
            measurement(
                "tracks, text", "the tracks with a word in the name, by scan", must: 1.15,
                aim: 1.05,
                try CorpusContestants.tracks(
                    stores, FetchPredicate("name CONTAINS 'Love'"), sql: "instr(name, 'Love') > 0")),
            measurement(
                "airports, range", "the airports above 8000 feet, by scan", must: 1.15, aim: 1.05,
                try CorpusContestants.airports(
                    stores, FetchPredicate("altitude > 8000"), sql: "altitude > 8000")),
            measurement(
                "airports, index", "the airports of a country, by index", must: 1.35, aim: 1.15,
                try CorpusContestants.airports(
                    stores, FetchPredicate("country == 'Iceland'"), sql: "country = 'Iceland'")),
        ]
    }
}
