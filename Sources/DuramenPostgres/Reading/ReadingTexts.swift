import DuramenModel
import DuramenSQL

extension StoreTexts {
    /// Lists with more keys are not prepared: the engine's general plan would be theirs too.
    static let mostPreparedKeys = 100

    /// Returns the statement that finds rows of a table by a list of keys.
    func rows(_ table: Int, _ count: Int) -> Statement {
        count <= Self.mostPreparedKeys
            ? rowLists[table] : Statement(rowLists[table].text, prepared: false)
    }

    /// Returns the statement that finds the members of a to-many of a list of objects: key and
    /// entity of the owner, then of the member, and the member's number in an order.
    func destinations(
        of relationship: RelationshipID, _ schema: PostgresSchema, _ count: Int
    ) -> Statement {
        let model = schema.model
        let own = model[relationship]
        let inverse = model[own.inverse]
        let owner = schema.table(of: own.declaringEntity)
        let destination = schema.table(of: own.destination)
        var from = "\(owner) AS o JOIN "
        var order = ""
        if let pairs = schema.pairs(of: relationship) {
            if let column = pairs.orderColumn { order = ", p.\(column)" }
            from +=
                "\(pairs.source) AS p ON p.\(pairs.ownerColumn) = o.id "
                + "JOIN \(destination) AS d ON d.id = p.\(pairs.destinationColumn)"
        } else if case .toOne(let slot, let entitySlot) = inverse.storage {
            let column = schema.column(slot: slot, of: inverse.declaringEntity)
            from += "\(destination) AS d ON d.\(column) = o.id"
            if let slot = inverse.orderSlot {
                order = ", d." + schema.column(slot: slot, of: inverse.declaringEntity)
            }
            if let entitySlot {
                let second = schema.column(slot: entitySlot, of: inverse.declaringEntity)
                from +=
                    " AND COALESCE(d.\(second), \(schema.number(of: own.declaringEntity))) = o.entity"
            }
        }
        let family = model[own.destination].family
        let numbers = family.map { String(schema.number(of: $0)) }.joined(separator: ", ")
        let kind = schema.coversTable(family) ? "" : " AND d.entity IN (\(numbers))"
        return Statement(
            "SELECT o.id, o.entity, d.id, d.entity\(order) FROM \(from) "
                + "WHERE o.id = ANY($1::bigint[])\(kind) ORDER BY o.id, d.id",
            prepared: count <= Self.mostPreparedKeys)
    }
}
