/// Lists that are read again.
extension RawContestants {
    /// Changes one row after the other, and reads the whole list after each.
    static func list(_ dataset: Dataset, _ identifiers: [Int64]) throws -> Contestant {
        // A list takes tens of milliseconds.
        let part = Array(identifiers.prefix(5))
        let connection = try RawConnection(try dataset.copiedFile("list-raw"))
        let update = try connection.prepare(
            "UPDATE quake SET magnitude = 10 - magnitude WHERE id = ?")
        let select = try connection.prepare(
            RawSchema.plain.selectQuakes + " ORDER BY magnitude, id")
        return Contestant(.raw, operations: part.count) {
            var count = 0
            for identifier in part {
                try connection.write {
                    update.bind(identifier, at: 1)
                    try update.run()
                }
                var list: [QuakeValues] = []
                while try select.step() { list.append(select.quake) }
                count += list.count
            }
            return Outcome(count)
        }
    }
}
