import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

extension SQLiteSnapshot: VerifyingSnapshot {
    /// Runs the engine's check, which compares every index with its table, and checks unique and
    /// mandatory values. Compares rows with their checksums, if the file has some. Then searches
    /// for pairs of deleted objects, which reads do not show but counts may include.
    func findings(
        cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        try withSource { (source) throws(StoreError) in
            var findings: [VerificationFinding] = []
            do throws(StoreError) {
                for line in try source.connection.texts("PRAGMA integrity_check")
                where line != "ok" {
                    findings.append(VerificationFinding(Self.kind(of: line), line))
                }
            } catch {
                if error.code != .damagedFile { throw error }
                findings.append(VerificationFinding(.structure, error.message))
                return findings
            }
            for rows in core.checksums?.tables ?? [] where rows.isCurrent {
                findings += try Self.altered(rows, source.connection)
            }
            for relationship in core.schema.namingSides {
                if cancellation?.isCancelled == true {
                    throw StoreError(.cancelled, "The verification was cancelled.")
                }
                findings += try Self.lostPairs(of: relationship, core.schema, source.connection)
            }
            return findings
        }
    }

    private static func altered(
        _ rows: RowChecksums.Rows, _ connection: Connection
    ) throws(StoreError) -> [VerificationFinding] {
        let keys = try connection.texts(
            "SELECT t0.Z_PK FROM \(rows.quoted) AS t0 WHERE \(rows.isAltered) ORDER BY t0.Z_PK")
        return keys.map {
            VerificationFinding(
                .row, "The object \(rows.entity)/p\($0) differs from its checksum.",
                place: rows.entity)
        }
    }

    private static func lostPairs(
        of relationship: RelationshipID, _ schema: AppleSchema, _ connection: Connection
    ) throws(StoreError) -> [VerificationFinding] {
        guard let pairs = schema.pairs(of: relationship) else { return [] }
        let (model, side) = (schema.model, schema.model[relationship])
        func isLost(_ column: String, _ entity: EntityID) -> String {
            "NOT EXISTS (SELECT 1 FROM \(schema.table(of: entity)) AS r WHERE r.Z_PK = p.\(column))"
        }
        let count = try connection.integer(
            "SELECT count(*) FROM \(pairs.table) AS p WHERE "
                + isLost(pairs.ownerColumn, side.declaringEntity) + " OR "
                + isLost(pairs.destinationColumn, side.destination))
        guard let count, count > 0 else { return [] }
        let place = "\(model[side.declaringEntity].name).\(side.name)"
        return [
            VerificationFinding(
                .pair, "A pair of '\(place)' joins an object that does not exist.", place: place,
                count: Int(count))
        ]
    }

    private static func kind(of line: String) -> VerificationFinding.Kind {
        if line.hasPrefix("non-unique") { return .uniqueness }
        return line.contains(" index ") ? .index : .structure
    }
}
