import DuramenModel
import DuramenSQL

/// The tables that have the pairs of one many-to-many before and after a change.
struct KeptPairs {
    /// By the side that a table is named after.
    private(set) var names: [KnownNames.Place: String] = [:]

    init?(_ change: SchemaChange, _ old: PostgresSchema, _ new: PostgresSchema) {
        let named = Set(old.pairSides)
        for relationship in change.target.relationships {
            guard case .manyToMany = relationship.storage,
                let before = change.sourceRelationships[relationship.id.index].first
            else { continue }
            let inverse = change.target[relationship.inverse]
            guard change.sourceRelationships[relationship.id.index] == [before],
                change.sourceRelationships[inverse.id.index] == [change.source[before].inverse],
                let pairs = old.pairs(of: before),
                pairs.isReflexive == relationship.isSelfInverse,
                change.source[before].isOrdered == relationship.isOrdered
            else { return nil }
            guard named.contains(before), let name = old.pairNames[StoredText(pairs.table)] else {
                continue
            }
            names[
                KnownNames.Place(
                    change.target[relationship.declaringEntity].name, relationship.name,
                    KnownNames.pairPart)] = name
        }
        // One table is the table of one many-to-many.
        if Set(names.values.map { StoredText($0) }).count != names.count { return nil }
    }
}
