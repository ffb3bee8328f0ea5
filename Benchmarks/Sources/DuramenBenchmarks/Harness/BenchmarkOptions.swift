/// What the command line asks for.
struct BenchmarkOptions: Sendable {
    var names: [String] = []
    var jsonPath: String?
    var rowCount = 100_000
    var rounds = 7
    /// The one contestant that runs, for a profile of it; nil for all.
    var onlyRole: Role?
    var includesAll = false
    var listsRows = false
    var isStrict = false
    var showsUsage = false

    static let usage = """
        usage: Scripts/bench [NAME...] [--rows N] [--rounds N] [--json FILE] [--only ROLE]
                             [--all] [--strict]

          NAME        a row of the table of targets by number or word; see --list.
                      Without names: every row but 16, which takes long.
          --rows N    rows in the table (100000); row 16 compares N and ten times N.
          --rounds N  counted rounds after the warm-up (7).
          --json FILE writes the figures to FILE.
          --only ROLE one contestant without targets, to be profiled: duramen, raw, memory,
                      empty, duramenAlone, rawAlone, rawStoreLayout, rawLMDB, grdbCodable, grdbByHand,
                      duramenDictionaries, duramenFirstPage, rawOrdered, rawIdentifiersFirst.
          --all       every row.
          --strict    exit status 1 when a line that must be kept is missed.
          --list      prints the rows.
        """

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": jsonPath = try Self.value(of: argument, &rest)
            case "--rows": rowCount = try Self.count(of: argument, atLeast: 1000, &rest)
            case "--rounds": rounds = try Self.count(of: argument, atLeast: 1, &rest)
            case "--only":
                let name = try Self.value(of: argument, &rest)
                guard let role = Role(rawValue: name) else {
                    throw UsageError(message: "There is no contestant '\(name)'.")
                }
                onlyRole = role
            case "--all": includesAll = true
            case "--list": listsRows = true
            case "--strict": isStrict = true
            case "--help", "-h": showsUsage = true
            default:
                guard !argument.hasPrefix("-") else {
                    throw UsageError(message: "There is no option '\(argument)'.")
                }
                names.append(argument)
            }
        }
    }

    /// The rows that the options select, in their own order.
    func selection(from rows: [BenchmarkRow]) throws(UsageError) -> [BenchmarkRow] {
        if includesAll { return rows }
        if names.isEmpty { return rows.filter { $0.number != "16" } }
        for name in names where !rows.contains(where: { $0.isNamed(name) }) {
            throw UsageError(message: "There is no row '\(name)'. Use --list to see them.")
        }
        return rows.filter { row in names.contains { row.isNamed($0) } }
    }

    private static func value(
        of option: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = rest.popFirst() else {
            throw UsageError(message: "'\(option)' needs a value.")
        }
        return value
    }

    private static func count(
        of option: String, atLeast least: Int, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> Int {
        guard let number = Int(try value(of: option, &rest)), number >= least else {
            throw UsageError(message: "'\(option)' needs a number, \(least) or more.")
        }
        return number
    }
}

extension BenchmarkRow {
    nonisolated func isNamed(_ name: String) -> Bool {
        name == number || name == word
    }
}

/// The command line cannot be understood.
struct UsageError: Error {
    let message: String
}
