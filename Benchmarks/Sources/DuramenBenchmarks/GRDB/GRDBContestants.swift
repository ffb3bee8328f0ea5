import GRDB

/// The contestants that use GRDB.
@MainActor
enum GRDBContestants {
    /// Inserts every quake in one transaction.
    static func insert(_ dataset: Dataset) -> [Contestant] {
        [
            insert(dataset, .grdbCodable, { CodableQuake($0) }) { try $0.insert($1) },
            insert(dataset, .grdbByHand, { HandmadeQuake($0) }) { try $0.insertHandmade($1) },
        ]
    }

    /// Fetches every row and reads every field.
    static func fetchAll(_ dataset: Dataset) -> [Contestant] {
        let quakes = QuakePool(pool: dataset.pool)
        return [
            Contestant(.grdbCodable) {
                var checksum = Checksum()
                for quake in try quakes.codableQuakes() { checksum.add(quake) }
                return Outcome(checksum.value)
            },
            Contestant(.grdbByHand) {
                var checksum = Checksum()
                for quake in try quakes.handmadeQuakes() { checksum.add(quake.values) }
                return Outcome(checksum.value)
            },
        ]
    }

    /// Fetches every row and reads one field.
    static func touchOneField(_ dataset: Dataset) -> [Contestant] {
        let quakes = QuakePool(pool: dataset.pool)
        return [
            Contestant(.grdbCodable) {
                var checksum = Checksum()
                for quake in try quakes.codableQuakes() {
                    checksum.add(magnitude: quake.magnitude)
                }
                return Outcome(checksum.value)
            },
            Contestant(.grdbByHand) {
                var checksum = Checksum()
                for quake in try quakes.handmadeQuakes() {
                    checksum.add(magnitude: quake.values.magnitude)
                }
                return Outcome(checksum.value)
            },
        ]
    }

    /// Looks records up by key in one read. It does a part of the look-ups: one takes GRDB much
    /// longer than it takes the others, and its time does not depend on their number.
    static func lookup(_ dataset: Dataset, _ identifiers: [Int64]) -> [Contestant] {
        let quakes = QuakePool(pool: dataset.pool)
        let part = Array(identifiers.prefix(10_000))
        let operations = part.count < identifiers.count ? part.count : nil
        return [
            Contestant(.grdbCodable, operations: operations) {
                Outcome(try quakes.checksumOfCodable(part))
            },
            Contestant(.grdbByHand, operations: operations) {
                Outcome(try quakes.checksumOfHandmade(part))
            },
        ]
    }

    /// Looks records up by an indexed text in one read.
    static func lookupByCode(_ dataset: Dataset, _ codes: [String]) throws -> Contestant {
        let quakes = QuakePool(pool: try openPool(at: dataset.indexedConnection().path))
        return Contestant(.grdbByHand) {
            Outcome(try quakes.checksumOfHandmade(codes, by: HandmadeQuake.byCode))
        }
    }

    /// Changes one field of one record by each of several threads, again and again.
    static func commitsAtOnce(
        _ dataset: Dataset, _ identifiers: [Int64], threads: Int
    ) throws -> Contestant {
        let path = try dataset.copiedFile("commits-grdb")
        let quakes = QuakePool(pool: try openPool(at: path))
        return Contestant(
            .grdbByHand,
            verify: { try RawSchema.plain.checksum(ofFile: path) },
            body: {
                try ThreadGroup.run(threads) { thread in
                    for place in stride(from: thread, to: identifiers.count, by: threads) {
                        try quakes.updateHandmade([identifiers[place]])
                    }
                }
                return Outcome(identifiers.count)
            })
    }

    /// Fetches records by key, changes one field and updates them, in one transaction.
    static func update(_ dataset: Dataset, _ identifiers: [Int64]) throws -> [Contestant] {
        [
            try update(dataset, .grdbCodable, identifiers) { try $0.updateCodable(identifiers) },
            try update(dataset, .grdbByHand, identifiers) { try $0.updateHandmade(identifiers) },
        ]
    }

    /// Reads every quake with the name of its region.
    static func regionNames(_ dataset: Dataset) -> [Contestant] {
        let quakes = QuakePool(pool: dataset.pool)
        return [
            Contestant(.grdbCodable) {
                var checksum = Checksum()
                for joined in try quakes.codableQuakesInRegions() {
                    checksum.add(text: joined.quake.place)
                    checksum.add(text: joined.region.name)
                }
                return Outcome(checksum.value)
            },
            Contestant(.grdbByHand) {
                var checksum = Checksum()
                let (list, names) = try quakes.handmadeQuakesAndRegionNames()
                for quake in list {
                    checksum.add(text: quake.values.place)
                    if let name = names[quake.values.regionID] { checksum.add(text: name) }
                }
                return Outcome(checksum.value)
            },
        ]
    }

    /// Holds every row as a record in an array.
    static func held(_ dataset: Dataset) -> [Contestant] {
        let quakes = QuakePool(pool: dataset.pool)
        return [
            Contestant(.grdbCodable) {
                let list = try quakes.codableQuakes()
                return Outcome(list.count, holding: list)
            },
            Contestant(.grdbByHand) {
                let list = try quakes.handmadeQuakes()
                return Outcome(list.count, holding: list)
            },
        ]
    }

    /// Makes the records at the first turn, so that a contestant who gets none holds none.
    private static func insert<Record>(
        _ dataset: Dataset, _ role: Role, _ record: @escaping (QuakeValues) -> Record,
        _ work: @escaping (QuakePool, [Record]) throws -> Void
    ) -> Contestant {
        var records: [Record] = []
        var pool: DatabasePool?
        var path = ""
        return Contestant(
            role,
            prepare: {
                if records.isEmpty { records = dataset.quakes.map(record) }
                path = try dataset.emptyPath("insert-\(role.rawValue)")
                try RawSchema.plain.create(in: RawConnection(path), regions: dataset.regions)
                pool = try openPool(at: path)
            },
            verify: { try RawSchema.plain.checksum(ofFile: path) },
            finish: {
                try pool?.close()
                pool = nil
                _ = try dataset.emptyPath("insert-\(role.rawValue)")
            },
            body: {
                guard let pool else { return Outcome(0) }
                try work(QuakePool(pool: pool), records)
                return Outcome(records.count)
            })
    }

    private static func update(
        _ dataset: Dataset, _ role: Role, _ identifiers: [Int64],
        _ work: @escaping (QuakePool) throws -> Void
    ) throws -> Contestant {
        let path = try dataset.copiedFile("update-\(role.rawValue)")
        let quakes = QuakePool(pool: try openPool(at: path))
        return Contestant(
            role,
            verify: { try RawSchema.plain.checksum(ofFile: path) },
            body: {
                try work(quakes)
                return Outcome(identifiers.count)
            })
    }
}
