/// The tables of the workload and the statements that fill and read them.
///
/// Columns are always named in the order of ``QuakeValues``.
struct RawSchema: Sendable {
    /// What somebody writes who knows only this workload.
    static let plain = RawSchema(
        creation: """
            CREATE TABLE region(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE quake(
                id INTEGER PRIMARY KEY, code TEXT NOT NULL, place TEXT NOT NULL,
                magnitude REAL NOT NULL, time REAL NOT NULL, depth REAL NOT NULL, felt INTEGER,
                isReviewed INTEGER NOT NULL, regionID INTEGER NOT NULL);
            """,
        insertRegion: "INSERT INTO region(id, name) VALUES(?, ?)",
        insertQuake: """
            INSERT INTO quake(id, code, place, magnitude, time, depth, felt, isReviewed, regionID)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
        selectQuakes: """
            SELECT id, code, place, magnitude, time, depth, felt, isReviewed, regionID FROM quake
            """,
        updateDepths: "UPDATE quake SET depth = ? WHERE magnitude >= ?",
        deleteQuakes: "DELETE FROM quake WHERE magnitude >= ?")

    /// The layout that Core Data gives the same model: entity and version columns, and an index
    /// on the relationship. Shows which part of Duramen's cost is the layout's.
    static let storeLayout = RawSchema(
        creation: """
            CREATE TABLE ZREGION(
                Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE TABLE ZQUAKE(
                Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFELT INTEGER,
                ZISREVIEWED INTEGER, ZREGION INTEGER, ZDEPTH FLOAT, ZMAGNITUDE FLOAT,
                ZTIME TIMESTAMP, ZCODE VARCHAR, ZPLACE VARCHAR);
            CREATE INDEX ZQUAKE_ZREGION_INDEX ON ZQUAKE(ZREGION);
            """,
        insertRegion: "INSERT INTO ZREGION(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 2, 1, ?)",
        insertQuake: """
            INSERT INTO ZQUAKE(
                Z_PK, Z_ENT, Z_OPT, ZCODE, ZPLACE, ZMAGNITUDE, ZTIME, ZDEPTH, ZFELT, ZISREVIEWED,
                ZREGION)
            VALUES(?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
        selectQuakes: """
            SELECT Z_PK, ZCODE, ZPLACE, ZMAGNITUDE, ZTIME, ZDEPTH, ZFELT, ZISREVIEWED, ZREGION
            FROM ZQUAKE
            """,
        updateDepths: "UPDATE ZQUAKE SET Z_OPT = Z_OPT + 1, ZDEPTH = ? WHERE ZMAGNITUDE >= ?",
        deleteQuakes: "DELETE FROM ZQUAKE WHERE ZMAGNITUDE >= ?")

    let creation: String
    let insertRegion: String
    let insertQuake: String
    let selectQuakes: String
    let updateDepths: String
    let deleteQuakes: String

    /// Makes the tables and the regions.
    func create(in connection: RawConnection, regions: [RegionValues]) throws {
        try connection.execute(creation)
        try connection.write {
            let insert = try connection.prepare(insertRegion)
            for region in regions {
                insert.bind(region.id, at: 1)
                var name = region.name
                try name.withUTF8 { name in
                    insert.bind(pinned: name, at: 2)
                    try insert.run()
                }
            }
        }
    }

    /// Inserts quakes in one transaction.
    func insert(_ quakes: [QuakeValues], in connection: RawConnection) throws {
        try connection.write {
            let insert = try connection.prepare(insertQuake)
            for quake in quakes { try insert.insert(quake) }
        }
    }

    /// The checksum of all quakes in a file, read by a connection of its own.
    func checksum(ofFile path: String) throws -> Int {
        let select = try RawConnection(path).prepare(selectQuakes)
        var checksum = Checksum()
        while try select.step() { checksum.add(select.quake) }
        return checksum.value
    }
}

extension RawStatement {
    /// The current row of a statement that selects the columns of a quake.
    @inline(__always)
    var quake: QuakeValues {
        QuakeValues(
            id: integer(0), code: text(1), place: text(2), magnitude: double(3), time: double(4),
            depth: double(5), felt: optionalInteger(6), isReviewed: integer(7) != 0,
            regionID: integer(8))
    }

    /// Binds a quake to the nine parameters and runs the statement.
    ///
    /// The text is pinned while the statement runs, which saves SQLite a copy of it.
    @inline(__always)
    func insert(_ quake: QuakeValues) throws {
        var code = quake.code
        var place = quake.place
        try code.withUTF8 { code in
            try place.withUTF8 { place in
                bind(quake.id, at: 1)
                bind(pinned: code, at: 2)
                bind(pinned: place, at: 3)
                bind(quake.magnitude, at: 4)
                bind(quake.time, at: 5)
                bind(quake.depth, at: 6)
                bind(quake.felt, at: 7)
                bind(quake.isReviewed ? 1 : 0 as Int64, at: 8)
                bind(quake.regionID, at: 9)
                try run()
            }
        }
    }
}
