/// The contestants that use the C interface of SQLite.
@MainActor
enum RawContestants {
    /// Inserts every quake in one transaction, into tables of the given layout.
    static func insert(_ dataset: Dataset, _ role: Role, _ schema: RawSchema) -> Contestant {
        var connection: RawConnection?
        var path = ""
        return Contestant(
            role,
            prepare: {
                path = try dataset.emptyPath("insert-\(role.rawValue)")
                let opened = try RawConnection(path)
                try schema.create(in: opened, regions: dataset.regions)
                connection = opened
            },
            verify: { try schema.checksum(ofFile: path) },
            finish: {
                connection = nil
                _ = try dataset.emptyPath("insert-\(role.rawValue)")
            },
            body: {
                guard let connection else { return Outcome(0) }
                try schema.insert(dataset.quakes, in: connection)
                return Outcome(dataset.quakes.count)
            })
    }

    /// Reads every field of every row into typed values.
    static func fetchAll(_ dataset: Dataset) throws -> Contestant {
        let select = try dataset.connection.prepare(RawSchema.plain.selectQuakes)
        return Contestant(.raw) {
            var checksum = Checksum()
            while try select.step() { checksum.add(select.quake) }
            return Outcome(checksum.value)
        }
    }

    /// Steps over every row with all columns selected, and reads one.
    static func touchOneField(_ dataset: Dataset) throws -> Contestant {
        let select = try dataset.connection.prepare(RawSchema.plain.selectQuakes)
        return Contestant(.raw) {
            var checksum = Checksum()
            while try select.step() { checksum.add(magnitude: select.double(3)) }
            return Outcome(checksum.value)
        }
    }

    /// Looks rows up by key in one read transaction.
    static func lookup(_ dataset: Dataset, _ identifiers: [Int64]) throws -> Contestant {
        let connection = dataset.connection
        let select = try connection.prepare(RawSchema.plain.selectQuakes + " WHERE id = ?")
        return Contestant(.raw) {
            var checksum = Checksum()
            try connection.execute("BEGIN")
            for identifier in identifiers {
                select.bind(identifier, at: 1)
                if try select.step() { checksum.add(select.quake) }
                select.reset()
            }
            try connection.execute("COMMIT")
            return Outcome(checksum.value)
        }
    }

    /// Reads each row, changes one column and writes that column, all in one transaction.
    static func update(_ dataset: Dataset, _ identifiers: [Int64]) throws -> Contestant {
        let path = try dataset.copiedFile("update-raw")
        let connection = try RawConnection(path)
        let select = try connection.prepare(RawSchema.plain.selectQuakes + " WHERE id = ?")
        let update = try connection.prepare("UPDATE quake SET magnitude = ? WHERE id = ?")
        return Contestant(
            .raw,
            verify: { try RawSchema.plain.checksum(ofFile: path) },
            body: {
                try connection.write {
                    for identifier in identifiers {
                        select.bind(identifier, at: 1)
                        guard try select.step() else { continue }
                        var quake = select.quake
                        select.reset()
                        quake.magnitude = 10 - quake.magnitude
                        update.bind(quake.magnitude, at: 1)
                        update.bind(quake.id, at: 2)
                        try update.run()
                    }
                }
                return Outcome(identifiers.count)
            })
    }

    /// Reads every quake with the name of its region by a join.
    static func regionNames(_ dataset: Dataset) throws -> Contestant {
        let select = try dataset.connection.prepare(
            """
            SELECT q.id, q.code, q.place, q.magnitude, q.time, q.depth, q.felt, q.isReviewed,
                q.regionID, r.name
            FROM quake q JOIN region r ON r.id = q.regionID
            """)
        return Contestant(.raw) {
            var checksum = Checksum()
            while try select.step() {
                checksum.add(text: select.quake.place)
                checksum.add(text: select.text(9))
            }
            return Outcome(checksum.value)
        }
    }

    /// Holds every row as a struct in an array.
    static func held(_ dataset: Dataset) throws -> Contestant {
        let select = try dataset.connection.prepare(RawSchema.plain.selectQuakes)
        return Contestant(.raw) {
            var quakes: [QuakeValues] = []
            quakes.reserveCapacity(dataset.rowCount)
            while try select.step() { quakes.append(select.quake) }
            return Outcome(quakes.count, holding: quakes)
        }
    }
}
