/// Work in many transactions.
extension RawContestants {
    /// Changes one column of each of the given rows, in a transaction of its own.
    static func commits(
        _ dataset: Dataset, _ identifiers: [Int64], isDurable: Bool
    ) throws -> Contestant {
        let path = try dataset.copiedFile("commits-raw-\(isDurable)")
        let connection = try RawConnection(path, isDurable: isDurable)
        let begin = try connection.prepare("BEGIN IMMEDIATE")
        let update = try connection.prepare(
            "UPDATE quake SET magnitude = 10 - magnitude WHERE id = ?")
        let commit = try connection.prepare("COMMIT")
        return Contestant(
            .raw,
            verify: { try RawSchema.plain.checksum(ofFile: path) },
            body: {
                for identifier in identifiers {
                    try begin.run()
                    update.bind(identifier, at: 1)
                    try update.run()
                    try commit.run()
                }
                return Outcome(identifiers.count)
            })
    }

    /// Looks rows up by key, each in a transaction of its own.
    static func lookupOneByOne(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) throws -> Contestant {
        let connection = dataset.connection
        let begin = try connection.prepare("BEGIN")
        let select = try connection.prepare(RawSchema.plain.selectQuakes + " WHERE id = ?")
        let commit = try connection.prepare("COMMIT")
        return Contestant(.raw) {
            var checksum = Checksum()
            for identifier in identifiers {
                try begin.run()
                select.bind(identifier, at: 1)
                if try select.step() { checksum.add(select.quake) }
                select.reset()
                try commit.run()
            }
            return Outcome(checksum.value)
        }
    }
}
