import DuramenModel
import DuramenSQL
import DuramenStore

/// Reads the links of a relationship before its tables are changed.
struct LinkReading {
    let connection: Connection
    let schema: AppleSchema

    /// - Parameters:
    ///   - relationship: A to-one with a column, or a side of a many-to-many.
    ///   - note: Receives each link.
    func forEachLink(
        of relationship: Relationship, _ note: (MigrationLinks.Link) -> Void
    ) throws(StoreError) {
        let statement = try connection.prepare(
            schema.pairs(of: relationship.id).map { sql(of: $0, relationship) }
                ?? sql(ofToOne: relationship))
        try connection.forEachRow(of: statement) { row in
            guard let source = schema.entity(number: row.integer(1)),
                let destination = schema.entity(number: row.integer(3))
            else { return }
            note(
                .init(
                    from: (row.integer(0), source), to: (row.integer(2), destination),
                    number: row.isNull(4) ? nil : row.integer(4)))
        }
    }

    /// Selects the keys and entities of both sides, and the number in the order of the second.
    private func sql(of pairs: SQLPairTable, _ relationship: Relationship) -> String {
        let owners = schema.table(of: relationship.declaringEntity)
        let destinations = schema.table(of: relationship.destination)
        let order = pairs.inverseOrderColumn.map { "p.\($0)" } ?? "NULL"
        return "SELECT a.Z_PK, a.Z_ENT, b.Z_PK, b.Z_ENT, \(order) FROM \(pairs.table) AS p "
            + "JOIN \(owners) AS a ON a.Z_PK = p.\(pairs.ownerColumn) "
            + "JOIN \(destinations) AS b ON b.Z_PK = p.\(pairs.destinationColumn)"
    }

    private func sql(ofToOne relationship: Relationship) -> String {
        let owner = relationship.declaringEntity
        let column = schema.column(slot: relationship.slot ?? 0, of: owner)
        let order = relationship.orderSlot.map { "a." + schema.column(slot: $0, of: owner) }
        let family = schema.model[owner].family.map { String(schema.number(of: $0)) }
        return "SELECT a.Z_PK, a.Z_ENT, b.Z_PK, b.Z_ENT, \(order ?? "NULL") "
            + "FROM \(schema.table(of: owner)) AS a "
            + "JOIN \(schema.table(of: relationship.destination)) AS b ON b.Z_PK = a.\(column) "
            + "WHERE a.Z_ENT IN (\(family.joined(separator: ", ")))"
    }
}
