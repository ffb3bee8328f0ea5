extension RawContestants {
    /// Gives all strong quakes one depth, another one each time.
    static func batchUpdate(
        _ dataset: Dataset, _ role: Role, _ schema: RawSchema
    ) -> Contestant {
        var depth = 0.0
        return filled(dataset, role, schema, "batch-update") { connection in
            depth += 1
            try connection.write {
                let update = try connection.prepare(schema.updateDepths)
                update.bind(depth, at: 1)
                update.bind(Batches.strong, at: 2)
                try update.run()
            }
        }
    }

    /// Deletes all strong quakes.
    static func batchDelete(
        _ dataset: Dataset, _ role: Role, _ schema: RawSchema
    ) -> Contestant {
        filled(dataset, role, schema, "batch-delete") { connection in
            try connection.write {
                let delete = try connection.prepare(schema.deleteQuakes)
                delete.bind(Batches.strong, at: 1)
                try delete.run()
            }
        }
    }

    /// Inserts every quake again, with other magnitudes, into a file that has them all.
    static func upsert(_ dataset: Dataset) -> Contestant {
        var magnitude = 0.0
        return filled(
            dataset, .raw, .plain, "upsert", index: "CREATE UNIQUE INDEX code ON quake(code)",
            verify: { path in
                let select = try RawConnection(path).prepare("SELECT magnitude FROM quake")
                var checksum = Checksum()
                while try select.step() { checksum.add(magnitude: select.double(0)) }
                return checksum.value
            },
            { connection in
                magnitude += 1
                try connection.write {
                    let upsert = try connection.prepare(
                        """
                        INSERT INTO quake(
                            id, code, place, magnitude, time, depth, felt, isReviewed, regionID)
                        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT(code) DO UPDATE SET
                            place = excluded.place, magnitude = excluded.magnitude,
                            time = excluded.time, depth = excluded.depth, felt = excluded.felt,
                            isReviewed = excluded.isReviewed, regionID = excluded.regionID
                        """)
                    for var quake in dataset.quakes {
                        quake.id += Int64(dataset.rowCount)
                        quake.magnitude = magnitude
                        try upsert.insert(quake)
                    }
                }
            })
    }

    /// Works on a file of its own that has all quakes when a round begins.
    private static func filled(
        _ dataset: Dataset, _ role: Role, _ schema: RawSchema, _ name: String,
        index: String? = nil, verify: ((String) throws -> Int)? = nil,
        _ work: @escaping @MainActor (RawConnection) throws -> Void
    ) -> Contestant {
        var connection: RawConnection?
        var path = ""
        return Contestant(
            role,
            prepare: {
                path = try dataset.emptyPath("\(name)-\(role.rawValue)")
                let opened = try RawConnection(path)
                try schema.create(in: opened, regions: dataset.regions)
                if let index { try opened.execute(index) }
                try schema.insert(dataset.quakes, in: opened)
                connection = opened
            },
            verify: { try verify?(path) ?? schema.checksum(ofFile: path) },
            finish: {
                connection = nil
                _ = try dataset.emptyPath("\(name)-\(role.rawValue)")
            },
            body: {
                guard let connection else { return Outcome(0) }
                try work(connection)
                return Outcome(dataset.rowCount)
            })
    }
}

/// What the measurements of batches ask for.
enum Batches {
    /// The magnitude that about half of the quakes reach.
    static let strong = 5.0
}
