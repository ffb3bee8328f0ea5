/// The contestants that use the C interface of LMDB.
@MainActor
enum RawLMDBContestants {
    /// Appends every quake in one transaction.
    static func insert(_ dataset: Dataset) -> Contestant {
        var environment: RawEnvironment?
        return Contestant(
            .rawLMDB,
            prepare: {
                let path = try dataset.emptyPath("insert-raw", for: .lmdb)
                let opened = try RawEnvironment(path)
                try opened.insert(dataset.regions)
                environment = opened
            },
            verify: { try environment?.checksum() ?? 0 },
            finish: {
                environment = nil
                _ = try dataset.emptyPath("insert-raw", for: .lmdb)
            },
            body: {
                try environment?.insert(dataset.quakes)
                return Outcome(dataset.quakes.count)
            })
    }

    /// Reads every field of every record into typed values.
    static func fetchAll(_ dataset: Dataset) throws -> Contestant {
        let environment = try dataset.sharedRawEnvironment()
        return Contestant(.rawLMDB) { Outcome(try environment.checksum()) }
    }

    /// Steps over every record, and reads one field.
    static func touchOneField(_ dataset: Dataset) throws -> Contestant {
        let environment = try dataset.sharedRawEnvironment()
        return Contestant(.rawLMDB) {
            try environment.read { transaction in
                var checksum = Checksum()
                try transaction.forEachQuake { _, record in
                    checksum.add(magnitude: QuakeRecord.magnitude(record))
                }
                return Outcome(checksum.value)
            }
        }
    }

    /// Looks records up by key in one transaction that reads.
    static func lookup(_ dataset: Dataset, _ identifiers: [Int64]) throws -> Contestant {
        let environment = try dataset.sharedRawEnvironment()
        return Contestant(.rawLMDB) {
            try environment.read { transaction in
                var checksum = Checksum()
                for identifier in identifiers {
                    checksum.add(
                        QuakeRecord.quake(identifier, try transaction.quake(identifier)))
                }
                return Outcome(checksum.value)
            }
        }
    }

    /// Reads every quake, and the name of its region by key.
    static func regionNames(_ dataset: Dataset) throws -> Contestant {
        let environment = try dataset.sharedRawEnvironment()
        return Contestant(.rawLMDB) {
            try environment.read { transaction in
                var checksum = Checksum()
                try transaction.forEachQuake { id, record in
                    let quake = QuakeRecord.quake(id, record)
                    checksum.add(text: quake.place)
                    checksum.add(text: try transaction.regionName(quake.regionID))
                }
                return Outcome(checksum.value)
            }
        }
    }

    /// Reads each record, changes one field and writes the record, all in one transaction.
    static func update(_ dataset: Dataset, _ identifiers: [Int64]) throws -> Contestant {
        let environment = try dataset.filledRawEnvironment("update-raw")
        return Contestant(
            .rawLMDB,
            verify: { try environment.checksum() },
            body: {
                try environment.write { transaction in
                    for identifier in identifiers {
                        var quake = QuakeRecord.quake(
                            identifier, try transaction.quake(identifier))
                        quake.magnitude = 10 - quake.magnitude
                        try transaction.put(quake, appends: false)
                    }
                }
                return Outcome(identifiers.count)
            })
    }
}

extension RawLMDBContestants {
    /// Changes one field of each of the given records, in a transaction of its own.
    static func commits(
        _ dataset: Dataset, _ identifiers: [Int64], isDurable: Bool
    ) throws -> Contestant {
        let environment = try dataset.filledRawEnvironment(
            "commits-raw-\(isDurable)", isDurable: isDurable)
        return Contestant(
            .rawLMDB,
            verify: { try environment.checksum() },
            body: {
                var latencies = Latencies()
                for identifier in identifiers {
                    try latencies.time {
                        try environment.write { transaction in
                            var quake = QuakeRecord.quake(
                                identifier, try transaction.quake(identifier))
                            quake.magnitude = 10 - quake.magnitude
                            try transaction.put(quake, appends: false)
                        }
                    }
                }
                return Outcome(identifiers.count, amount: latencies.medianTotal)
            })
    }

    /// Looks records up by key, each in a transaction of its own.
    static func lookupOneByOne(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) throws -> Contestant {
        let environment = try dataset.sharedRawEnvironment()
        return Contestant(.rawLMDB) {
            var checksum = Checksum()
            for identifier in identifiers {
                try environment.read { transaction in
                    checksum.add(
                        QuakeRecord.quake(identifier, try transaction.quake(identifier)))
                }
            }
            return Outcome(checksum.value)
        }
    }
}

extension RawEnvironment {
    func insert(_ quakes: [QuakeValues]) throws {
        try write { transaction in
            for quake in quakes { try transaction.put(quake, appends: true) }
        }
    }

    func insert(_ regions: [RegionValues]) throws {
        try write { transaction in
            for region in regions { try transaction.put(region) }
        }
    }

    /// The checksum of all quakes.
    func checksum() throws -> Int {
        try read { transaction in
            var checksum = Checksum()
            try transaction.forEachQuake { id, record in
                checksum.add(QuakeRecord.quake(id, record))
            }
            return checksum.value
        }
    }
}

extension Dataset {
    /// An environment with every quake, which contestants that only read share.
    func sharedRawEnvironment() throws -> RawEnvironment {
        if let rawEnvironment { return rawEnvironment }
        let made = try filledRawEnvironment("raw-shared")
        rawEnvironment = made
        return made
    }

    /// An environment of its own with every quake.
    func filledRawEnvironment(
        _ name: String, isDurable: Bool = false
    ) throws -> RawEnvironment {
        let environment = try RawEnvironment(
            emptyPath(name, for: .lmdb), isDurable: isDurable)
        try environment.insert(regions)
        try environment.insert(quakes)
        return environment
    }
}
