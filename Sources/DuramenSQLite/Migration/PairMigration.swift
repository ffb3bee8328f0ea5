import DuramenModel
import DuramenSQL
import DuramenStore

/// The source of the pairs of one new many-to-many.
struct PairMigration {
    /// The new table, seen from its naming side.
    let table: SQLPairTable
    /// The old table that is renamed to it, seen from the corresponding side; nil if it is created.
    private(set) var carried: SQLPairTable?
    private var copies: [Copy] = []

    /// Pairs to copy.
    private struct Copy {
        /// The name of the old table.
        var source: String
        var owner: String
        var destination: String
        /// The columns with the number in the owner's order, and in the destination's.
        var order: String?
        var inverseOrder: String?
        var condition = ""
        /// The old table of a to-one's destinations, if some of them are removed.
        var destinations: String?

        var reversed: Copy {
            Copy(
                source: source, owner: destination, destination: owner, order: inverseOrder,
                inverseOrder: order, condition: condition, destinations: destinations)
        }
    }

    /// A placeholder for the name of the table of destinations when pairs are copied.
    private static let destinations = "DURAMEN_DESTINATIONS"

    /// - Parameters:
    ///   - side: The naming side of the new relationship.
    ///   - change: The change of the model.
    ///   - old: The old schema.
    ///   - new: The new schema.
    ///   - taken: Old tables that are already used.
    init?(
        _ side: RelationshipID, _ change: SchemaChange, old: AppleSchema, new: AppleSchema,
        taken: inout Set<String>
    ) {
        guard let made = new.pairs(of: side) else { return nil }
        table = made
        for id in change.sourceRelationships[side.index] {
            let before = change.source[id]
            if let pairs = old.pairs(of: id) {
                if carried == nil, !taken.contains(pairs.table),
                    pairs.isReflexive == table.isReflexive
                {
                    taken.insert(pairs.table)
                    carried = pairs
                } else {
                    let copy = Copy(
                        source: pairs.table, owner: pairs.ownerColumn,
                        destination: pairs.destinationColumn, order: pairs.orderColumn,
                        inverseOrder: pairs.inverseOrderColumn)
                    copies.append(copy)
                    if table.isReflexive, !pairs.isReflexive { copies.append(copy.reversed) }
                }
                continue
            }
            // A to-one is stored on one side, whose rows are the owners.
            let isOwner = before.slot != nil
            let toOne = isOwner ? before : change.source[before.inverse]
            guard let slot = toOne.slot else { continue }
            let entity = toOne.declaringEntity
            let family = change.source[entity].family.map { String(old.number(of: $0)) }
            var copy = Copy(
                source: old.table(of: entity), owner: "\"Z_PK\"",
                destination: old.column(slot: slot, of: entity),
                inverseOrder: toOne.orderSlot.map { old.column(slot: $0, of: entity) },
                condition: " AND t.Z_ENT IN (\(family.joined(separator: ", ")))")
            let destinations = change.source[toOne.destination].family
            let kept = destinations.filter { change.targetEntity($0) != nil }
            if kept.count < destinations.count {
                copy.condition +=
                    " AND t.\(copy.destination) IN (SELECT s.Z_PK FROM \(Self.destinations) AS s WHERE s.Z_ENT IN ("
                    + kept.map { String(old.number(of: $0)) }.joined(separator: ", ") + "))"
                copy.destinations = old.table(of: toOne.destination)
            }
            copies.append(isOwner ? copy : copy.reversed)
            if table.isReflexive { copies.append(isOwner ? copy.reversed : copy) }
        }
    }

    /// - Parameter name: Returns the current name of an old table.
    func copyStatements(_ name: (String) -> String) -> [String] {
        copies.map { copy in
            let columns = [
                (table.ownerColumn, copy.owner), (table.destinationColumn, copy.destination),
            ]
            // If the relationship is its own inverse, each direction is a row with one number.
            let orders = [
                (table.orderColumn, copy.order), (table.inverseOrderColumn, copy.inverseOrder),
            ]
            let all =
                columns
                + orders.compactMap { target, source in
                    target.flatMap { target in source.map { (target, $0) } }
                }
            let condition = copy.condition.replacing(
                Self.destinations, with: copy.destinations.map(name) ?? "")
            return
                "INSERT OR IGNORE INTO \(table.table) (\(all.map(\.0).joined(separator: ", "))) "
                + "SELECT \(all.map { "t." + $0.1 }.joined(separator: ", ")) "
                + "FROM \(name(copy.source)) AS t WHERE t.\(copy.owner) IS NOT NULL "
                + "AND t.\(copy.destination) IS NOT NULL\(condition)"
        }
    }

    /// Renames the columns of a table that already has its new name.
    var changeStatements: [String] {
        guard let carried else { return [] }
        let olds = [
            carried.ownerColumn, carried.destinationColumn, carried.orderColumn,
            carried.inverseOrderColumn,
        ]
        let news = [
            table.ownerColumn, table.destinationColumn, table.orderColumn,
            table.inverseOrderColumn,
        ]
        if olds == news { return [] }
        let alter = "ALTER TABLE \(table.table) "
        var statements: [String] = []
        var endings: [String] = []
        for (place, (old, new)) in zip(olds, news).enumerated() {
            let passing = "\"DURAMEN_\(place)\""
            switch (old, new) {
            case (let old?, let new?) where old != new:
                statements.append(alter + "RENAME COLUMN \(old) TO \(passing)")
                endings.append(alter + "RENAME COLUMN \(passing) TO \(new)")
            case (let old?, nil):
                statements.append(alter + "DROP COLUMN \(old)")
            case (nil, let new?):
                endings.append(alter + "ADD COLUMN \(new) INTEGER")
            default: break
            }
        }
        return statements + endings
    }
}
