import GRDB

/// Opens a file with the settings of the other contestants.
///
/// NORMAL is set after the opening, when the pool has chosen its own journal settings.
func openPool(at path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    return pool
}

/// The work of GRDB's contestants.
///
/// Outside of any actor: GRDB calls the closures on queues of its own.
struct QuakePool: Sendable {
    let pool: DatabasePool

    func insertHandmade(_ quakes: [HandmadeQuake]) throws {
        try pool.write { database in
            let insertion = try database.cachedStatement(sql: HandmadeQuake.insertion)
            for quake in quakes { try insertion.execute(arguments: quake.arguments) }
        }
    }

    func insert(_ quakes: [some PersistableRecord & Sendable]) throws {
        try pool.write { database in
            for quake in quakes { try quake.insert(database) }
        }
    }

    func codableQuakes() throws -> [CodableQuake] {
        try pool.read { try CodableQuake.fetchAll($0) }
    }

    func handmadeQuakes() throws -> [HandmadeQuake] {
        try pool.read { try HandmadeQuake.fetchAll($0.cachedStatement(sql: HandmadeQuake.all)) }
    }

    func checksumOfCodable(_ identifiers: [Int64]) throws -> Int {
        try pool.read { database in
            var checksum = Checksum()
            for identifier in identifiers {
                if let quake = try CodableQuake.fetchOne(database, key: identifier) {
                    checksum.add(quake)
                }
            }
            return checksum.value
        }
    }

    /// Fetches a record for each key.
    ///
    /// - Parameter statement: Finds a record by one key.
    func checksumOfHandmade(
        _ keys: [some DatabaseValueConvertible & Sendable],
        by statement: String = HandmadeQuake.byKey
    ) throws -> Int {
        try pool.read { database in
            var checksum = Checksum()
            let byKey = try database.cachedStatement(sql: statement)
            for key in keys {
                if let quake = try HandmadeQuake.fetchOne(byKey, arguments: [key]) {
                    checksum.add(quake.values)
                }
            }
            return checksum.value
        }
    }

    func updateCodable(_ identifiers: [Int64]) throws {
        try pool.write { database in
            for identifier in identifiers {
                guard var quake = try CodableQuake.fetchOne(database, key: identifier) else {
                    continue
                }
                quake.magnitude = 10 - quake.magnitude
                try quake.update(database)
            }
        }
    }

    func updateHandmade(_ identifiers: [Int64]) throws {
        try pool.write { database in
            let byKey = try database.cachedStatement(sql: HandmadeQuake.byKey)
            let change = try database.cachedStatement(
                sql: "UPDATE quake SET magnitude = ? WHERE id = ?")
            for identifier in identifiers {
                guard let quake = try HandmadeQuake.fetchOne(byKey, arguments: [identifier]) else {
                    continue
                }
                try change.execute(arguments: [10 - quake.values.magnitude, identifier])
            }
        }
    }

    func codableQuakesInRegions() throws -> [CodableQuakeInRegion] {
        try pool.read { database in
            try CodableQuake.including(required: CodableQuake.region)
                .asRequest(of: CodableQuakeInRegion.self)
                .fetchAll(database)
        }
    }

    /// Two fetches and a dictionary, as one does by hand to avoid decoding a region per quake.
    func handmadeQuakesAndRegionNames() throws -> ([HandmadeQuake], [Int64: String]) {
        try pool.read { database in
            let regions = try CodableRegion.fetchAll(database)
            let names = Dictionary(uniqueKeysWithValues: regions.map { ($0.id, $0.name) })
            let all = try database.cachedStatement(sql: HandmadeQuake.all)
            return (try HandmadeQuake.fetchAll(all), names)
        }
    }
}
