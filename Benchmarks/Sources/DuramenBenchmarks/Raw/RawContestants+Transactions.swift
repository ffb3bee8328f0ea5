/// Work in many transactions.
extension RawContestants {
    /// Changes one column of each of the given rows, in a transaction of its own.
    static func commits(
        _ dataset: Dataset, _ identifiers: [Int64], isDurable: Bool, reopens: Bool = false
    ) throws -> Contestant {
        let path = try dataset.copiedFile("commits-raw-\(isDurable)-\(reopens)")
        var commits: RawCommits?
        return Contestant(
            .raw,
            prepare: {
                // The log ends with the last connection, and stays as long as it was with one that
                // is kept.
                if reopens { commits = nil }
                if commits == nil { commits = try RawCommits(path, isDurable: isDurable) }
            },
            verify: { try RawSchema.plain.checksum(ofFile: path) },
            body: {
                var latencies = Latencies()
                for identifier in identifiers {
                    try latencies.time { try commits?.run(identifier) }
                }
                return Outcome(identifiers.count, amount: latencies.medianTotal)
            })
    }

    /// Looks rows up by key, each in a transaction of its own.
    static func lookupOneByOne(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) throws -> Contestant {
        let lookUp = try lookUpOneByOne(dataset.connection, identifiers)
        return Contestant(.raw, body: lookUp)
    }

    /// The same while a thread changes other rows, and while nobody does.
    static func lookupBesideWriter(
        _ dataset: Dataset, _ identifiers: [Int64], written: [Int64], rowsPerSave: Int
    ) throws -> [Contestant] {
        let path = try dataset.copiedFile("writer-raw-\(rowsPerSave)")
        let lookUp = try lookUpOneByOne(try RawConnection(path), identifiers)
        let writer = SideWriter {
            let connection = try RawConnection(path)
            let begin = try connection.prepare("BEGIN IMMEDIATE")
            let update = try connection.prepare(
                "UPDATE quake SET magnitude = 10 - magnitude WHERE id = ?")
            let commit = try connection.prepare("COMMIT")
            return { count in
                try begin.run()
                for place in 0..<rowsPerSave {
                    update.bind(written[(count * rowsPerSave + place) % written.count], at: 1)
                    try update.run()
                }
                try commit.run()
            }
        }
        return [
            Contestant(.rawAlone, body: lookUp),
            Contestant(
                .raw,
                prepare: { writer.start() },
                finish: { try writer.stop() },
                body: lookUp),
        ]
    }

    private static func lookUpOneByOne(
        _ connection: RawConnection, _ identifiers: [Int64]
    ) throws -> @MainActor () throws -> Outcome {
        let begin = try connection.prepare("BEGIN")
        let select = try connection.prepare(RawSchema.plain.selectQuakes + " WHERE id = ?")
        let commit = try connection.prepare("COMMIT")
        return {
            var checksum = Checksum()
            for identifier in identifiers {
                try begin.run()
                select.bind(identifier, at: 1)
                if try select.step() { checksum.add(select.quake) }
                select.reset()
                try commit.run()
            }
            // The statements go with their connection.
            return withExtendedLifetime(connection) { Outcome(checksum.value) }
        }
    }
}

/// A connection that changes rows, each in a transaction of its own.
private struct RawCommits {
    private let connection: RawConnection
    private let begin: RawStatement
    private let update: RawStatement
    private let commit: RawStatement

    init(_ path: String, isDurable: Bool) throws {
        connection = try RawConnection(path, isDurable: isDurable)
        begin = try connection.prepare("BEGIN IMMEDIATE")
        update = try connection.prepare("UPDATE quake SET magnitude = 10 - magnitude WHERE id = ?")
        commit = try connection.prepare("COMMIT")
    }

    func run(_ identifier: Int64) throws {
        try begin.run()
        update.bind(identifier, at: 1)
        try update.run()
        try commit.run()
    }
}
