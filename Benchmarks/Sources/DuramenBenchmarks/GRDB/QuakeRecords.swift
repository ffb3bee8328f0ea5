import GRDB

/// A quake as most applications declare it: everything comes from `Codable`.
struct CodableQuake: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "quake"
    static let region = belongsTo(CodableRegion.self, using: ForeignKey(["regionID"]))

    var id: Int64
    var code: String
    var place: String
    var magnitude: Double
    var time: Double
    var depth: Double
    var felt: Int64?
    var isReviewed: Bool
    var regionID: Int64
}

/// A region, by `Codable`.
struct CodableRegion: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "region"

    var id: Int64
    var name: String
}

/// A quake with its region, as a join gives them.
struct CodableQuakeInRegion: Codable, FetchableRecord, Sendable {
    var quake: CodableQuake
    var region: CodableRegion
}

/// A quake for those who need speed: cached statements read and write it, and its columns are
/// decoded by index.
struct HandmadeQuake: FetchableRecord, TableRecord, Sendable {
    static let databaseTableName = "quake"
    static let all = "SELECT * FROM quake"
    static let byKey = "SELECT * FROM quake WHERE id = ?"
    static let byCode = "SELECT * FROM quake WHERE code = ?"
    static let insertion = "INSERT INTO quake VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    var values: QuakeValues

    init(_ values: QuakeValues) {
        self.values = values
    }

    init(row: Row) {
        values = QuakeValues(
            id: row[0], code: row[1], place: row[2], magnitude: row[3], time: row[4],
            depth: row[5], felt: row[6], isReviewed: row[7], regionID: row[8])
    }

    /// What ``insertion`` is given.
    var arguments: StatementArguments {
        [
            values.id, values.code, values.place, values.magnitude, values.time, values.depth,
            values.felt, values.isReviewed, values.regionID,
        ]
    }
}

extension CodableQuake {
    init(_ values: QuakeValues) {
        self.init(
            id: values.id, code: values.code, place: values.place, magnitude: values.magnitude,
            time: values.time, depth: values.depth, felt: values.felt,
            isReviewed: values.isReviewed, regionID: values.regionID)
    }
}

extension Checksum {
    @inline(__always)
    mutating func add(_ quake: CodableQuake) {
        add(
            code: quake.code, place: quake.place, magnitude: quake.magnitude, time: quake.time,
            depth: quake.depth, felt: quake.felt, isReviewed: quake.isReviewed,
            regionID: quake.regionID)
    }
}
