import Foundation

/// Measures the store on PostgreSQL beside libpq, which the same statements are sent by.
@main
struct PostgresBenchmarks {
    private static let usage = """
        Usage: PostgresBenchmarks [--flushed | --trips | --no-trips] [--import COUNT]
                                  [--rounds COUNT] [--only WORD]...

          --flushed   measures the row of a server that flushes, and no other row
          --trips     measures the rows of one or two round trips, and no other row; the server and
                      this program should have a core each
          --no-trips  measures the other rows
          --import    the number of rows of an import and of an upsert; by default 100000
          --rounds    the number of rounds after one to warm up; by default 7
          --only      measures the rows whose names contain a word
          --ours      runs our contestant only, to be profiled

        DURAMEN_TEST_POSTGRES is the server; Scripts/bench --postgres starts one.
        """

    @MainActor static func main() throws {
        guard let options = Options(CommandLine.arguments.dropFirst()),
            let server = ProcessInfo.processInfo.environment["DURAMEN_TEST_POSTGRES"]
        else {
            print(usage)
            exit(2)
        }
        let report = Report(options)
        if options.isFlushed {
            try SavesAtOnceRow(server).run(report)
        } else {
            try measure(server, report)
        }
        exit(report.hasMissed ? 1 : 0)
    }

    @MainActor private static func measure(_ server: String, _ report: Report) throws {
        let rows = try StoreRows(server)
        if report.options.measuresTrips {
            try rows.measureKey(report)
            try rows.measureFault(report)
        }
        guard report.options.measuresOthers else { return try rows.end() }
        try rows.measureWalk(report)
        try rows.measureSave(report)
        try rows.end()
        let objects = try ObjectRows(server)
        try objects.measureKey(report)
        try objects.measureWalk(report)
        try objects.measureGroups(report)
        try objects.measureSave(report)
        try objects.end()
        try ImportRow(server, count: report.options.importCount).run(report)
        try UpsertRow(server, count: report.options.importCount).run(report)
    }
}

/// What the arguments ask for.
struct Options {
    private(set) var isFlushed = false
    private(set) var isOursOnly = false
    private(set) var measuresTrips = true
    private(set) var measuresOthers = true
    private(set) var importCount = 100_000
    private(set) var rounds = 7
    private(set) var words: [String] = []

    /// Reads the arguments; nil if one is not known.
    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--flushed": isFlushed = true
            case "--ours": isOursOnly = true
            case "--trips": measuresOthers = false
            case "--no-trips": measuresTrips = false
            case "--import":
                guard let count = iterator.next().flatMap({ Int($0) }), count > 0 else {
                    return nil
                }
                importCount = count
            case "--rounds":
                guard let count = iterator.next().flatMap({ Int($0) }), count > 0 else {
                    return nil
                }
                rounds = count
            case "--only":
                guard let word = iterator.next() else { return nil }
                words.append(word)
            default: return nil
            }
        }
    }

    /// Whether a row is measured.
    func includes(_ name: String) -> Bool {
        words.isEmpty || words.contains { name.localizedCaseInsensitiveContains($0) }
    }
}
