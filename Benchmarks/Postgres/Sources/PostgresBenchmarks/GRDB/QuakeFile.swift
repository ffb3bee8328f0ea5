import GRDB

/// A file of quakes in GRDB, tuned for speed: cached statements read and write it, and columns are
/// decoded by index.
struct QuakeFile: Sendable {
    private let pool: DatabasePool

    /// Makes a file with the settings of DuramenSQLite's, and with an index on the same column.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE quake(
                        id INTEGER PRIMARY KEY, code TEXT NOT NULL, place TEXT NOT NULL,
                        magnitude REAL NOT NULL, time REAL NOT NULL, depth REAL NOT NULL,
                        felt INTEGER, isReviewed INTEGER NOT NULL, region INTEGER NOT NULL);
                    CREATE INDEX quake_region ON quake(region);
                    """)
        }
    }

    func close() throws { try pool.close() }

    /// Inserts quakes in one transaction.
    func insert(_ quakes: [QuakeValues]) throws {
        try pool.write { database in
            let insertion = try database.cachedStatement(
                sql: "INSERT INTO quake VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")
            for quake in quakes {
                try insertion.execute(arguments: [
                    quake.code, quake.place, quake.magnitude, quake.time, quake.depth, quake.felt,
                    quake.isReviewed, quake.region + 1,
                ])
            }
        }
    }

    /// Fetches all quakes as records.
    func records() throws -> [QuakeRecord] {
        try pool.read { database in
            try QuakeRecord.fetchAll(database.cachedStatement(sql: "SELECT * FROM quake"))
        }
    }
}

/// A quake as a record.
struct QuakeRecord: FetchableRecord, Sendable {
    let values: QuakeValues

    init(row: Row) {
        values = QuakeValues(
            code: row[1], place: row[2], magnitude: row[3], time: row[4], depth: row[5],
            felt: row[6], isReviewed: row[7], region: row[8])
    }
}

extension Checksum {
    /// Adds every field of a record.
    @inline(__always)
    mutating func add(_ record: QuakeRecord) {
        let quake = record.values
        add(
            code: quake.code.utf8.count, place: quake.place.utf8.count,
            magnitude: quake.magnitude, time: quake.time, depth: quake.depth, felt: quake.felt,
            isReviewed: quake.isReviewed, region: Int64(quake.region))
    }
}
