import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

extension PostgresSnapshot: VerifyingSnapshot {
    /// Compares the table of unique values with the rows, and searches for pairs of objects that do
    /// not exist. The server checks its pages and indexes itself.
    func findings(
        cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        var findings: [VerificationFinding] = []
        for (constraint, number) in core.schema.constraints.sorted(by: { $0.value < $1.value }) {
            findings += try wrongClaims(constraint, number, cancellation)
            findings += try strayClaims(constraint, number, cancellation)
        }
        for side in core.schema.pairSides { findings += try lostPairs(of: side, cancellation) }
        return findings
    }

    // MARK: - Unique values

    private static let rowsPerPage = 500

    private func place(of constraint: UniquenessConstraint) -> String {
        "\(core.model[constraint.entity].name).\(constraint.properties.joined(separator: ", "))"
    }

    /// The rows whose values are not those that the table has for them.
    private func wrongClaims(
        _ constraint: UniquenessConstraint, _ number: Int32, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        let query = StoreQuery(entity: constraint.entity, cancellation: cancellation)
        let cursor = try cursor(PreparedQuery(query))
        let claims = Statement(
            "SELECT key, digest FROM \(core.schema.own(.claims)) "
                + "WHERE cons = $1::integer AND key = ANY($2::bigint[])", prepared: false)
        var wrong: [ManagedObjectID] = []
        while let rows = try cursor.next(maximumRows: Self.rowsPerPage) {
            let result = try withReading { (reading) throws(StoreError) in
                try reading.run(claims, [.integer(number), .bigints(rows.map(\.key))])
            }
            var digests: [Int64: [UInt8]] = [:]
            for row in 0..<result.rowCount {
                guard let key = result.int64(row, 0) else { continue }
                digests[key] = Array(result.bytes(row, 1))
            }
            for row in rows {
                let layout = core.model[row.entityID].layout
                if Claims.digest(of: row, constraint, layout) != digests[row.key] {
                    wrong.append(row.objectID(in: core.model, store: core.schema.store))
                }
            }
        }
        if wrong.isEmpty { return [] }
        return [
            VerificationFinding(
                .uniqueness,
                "The table of unique values does not have the values of '\(place(of: constraint))'.",
                place: place(of: constraint), example: wrong[0], count: wrong.count)
        ]
    }

    /// The unique values of objects that do not exist.
    private func strayClaims(
        _ constraint: UniquenessConstraint, _ number: Int32, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        let count = try count(
            cancellation,
            "\(core.schema.own(.claims)) AS c WHERE c.cons = \(number) AND NOT EXISTS "
                + "(SELECT 1 FROM \(core.schema.table(of: constraint.entity)) AS t "
                + "WHERE t.id = c.key)")
        if count == 0 { return [] }
        return [
            VerificationFinding(
                .uniqueness,
                "The table of unique values has '\(place(of: constraint))' of objects that do not exist.",
                place: place(of: constraint), count: count)
        ]
    }

    // MARK: - Pairs

    private func lostPairs(
        of side: RelationshipID, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        guard let pairs = core.schema.pairs(of: side) else { return [] }
        let relationship = core.model[side]
        func isLost(_ column: String, _ entity: EntityID) -> String {
            "NOT EXISTS (SELECT 1 FROM \(core.schema.table(of: entity)) AS t WHERE t.id = p.\(column))"
        }
        let count = try count(
            cancellation,
            "\(pairs.table) AS p WHERE "
                + isLost(pairs.ownerColumn, relationship.declaringEntity) + " OR "
                + isLost(pairs.destinationColumn, relationship.destination))
        if count == 0 { return [] }
        let place = "\(core.model[relationship.declaringEntity].name).\(relationship.name)"
        return [
            VerificationFinding(
                .pair, "A pair of '\(place)' joins an object that does not exist.", place: place,
                count: count)
        ]
    }

    private func count(
        _ cancellation: CancellationFlag?, _ rows: String
    ) throws(StoreError) -> Int {
        var pipeline = Pipeline()
        pipeline.add("SELECT count(*) FROM \(rows)", prepared: false)
        let results = try withReading(cancellation) { (reading) throws(StoreError) in
            // Guarded, so that the state stays usable after a cancellation.
            try reading.runGuarded(pipeline)
        }
        return Int(results.first?.int64(0, 0) ?? 0)
    }
}
