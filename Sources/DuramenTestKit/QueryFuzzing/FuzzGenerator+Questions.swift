import DuramenModel
import DuramenQuery

extension FuzzGenerator {
    /// A question about an entity's objects.
    mutating func question(_ entity: Entity) -> FuzzQuestion {
        if random.oneIn(5) { return .results(resultQuery(entity)) }
        let query = query(entity)
        switch number(8) {
        case 0: return .objects(query, .count)
        case 1, 2: return .objects(query, .rows)
        default: return .objects(query, .objectIDs)
        }
    }

    private mutating func query(_ entity: Entity) -> StoreQuery {
        var query = StoreQuery(
            entity: entity.id, includesSubentities: number(4) != 0,
            predicate: random.oneIn(20) ? nil : predicate(entity, 3))
        if random.oneIn(2) { query.sortDescriptors = sortDescriptors(entity) }
        if random.oneIn(3) { query.offset = number(random.oneIn(4) ? 45 : 4) }
        if random.oneIn(3) { query.limit = number(8) }
        if random.oneIn(4) {
            var slots = SlotSet()
            for attribute in entity.attributes where random.oneIn(2) {
                slots.insert(attribute.slot)
            }
            query.slots = slots
        }
        return query
    }

    // MARK: - Order

    mutating func sortDescriptors(_ entity: Entity) -> [FetchSortDescriptor] {
        (0...number(3)).compactMap { _ in
            if random.oneIn(12) { return FetchSortDescriptor("SELF", ascending: random.oneIn(2)) }
            if random.oneIn(8), let (path, _) = toMany(entity), path.count == 1 {
                return FetchSortDescriptor("\(path[0]).@count", ascending: random.oneIn(2))
            }
            let family = random.pick(Family.allCases.filter { $0 != .object })
            return attribute(of: entity, in: family).map {
                sortDescriptor($0.joined(separator: "."), family)
            }
        }
    }

    mutating func sortDescriptor(_ name: String, _ family: Family) -> FetchSortDescriptor {
        FetchSortDescriptor(
            name, ascending: random.oneIn(2),
            comparison: family == .text
                ? random.pick(FetchSortDescriptor.Comparison.allCases) : .standard)
    }
}
