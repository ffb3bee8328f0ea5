import DuramenModel
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let relationshipKindSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.atomicity, OrdersMembersByID.self),
        SaboteurEntry(.atomicity, ForgetsNumbersOfPairs.self),
        SaboteurEntry(.atomicity, KeepsFirstNumbersOfPairs.self),
        SaboteurEntry(.atomicity, KeepsNumbersOfEndedPairs.self),
        SaboteurEntry(.atomicity, SeesOwnInversesFromOneEnd.self),
        SaboteurEntry(.atomicity, LosesPartners.self),
        SaboteurEntry(.atomicity, LosesHiddenReferences.self),
    ]
}

final class OrdersMembersByID: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(orderedDestinations: { (base, relationship, ids) throws(StoreError) in
            try base.orderedDestinations(of: relationship, from: ids).map { list in
                list.sorted { $0.id < $1.id }
            }
        })
    }
}

/// Changes pairs on their way in.
class PairSaboteur: Saboteur, @unchecked Sendable {
    func kept(
        _ edges: [EdgeChange.Edge], _ relationship: Relationship
    ) throws(StoreError) -> [EdgeChange.Edge] { edges }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        for index in changes.edges.indices {
            let relationship = model[changes.edges[index].relationship]
            changes.edges[index].added = try kept(changes.edges[index].added, relationship)
        }
        return try base.save(changes)
    }

    func isThere(
        _ edge: EdgeChange.Edge, _ relationship: Relationship
    ) throws(StoreError) -> Bool {
        let snapshot: any StoreSnapshot = try base.snapshot()
        return try snapshot.destinations(of: relationship.id, from: [edge.source])[0]
            .contains(edge.destination)
    }
}

final class ForgetsNumbersOfPairs: PairSaboteur, @unchecked Sendable {
    override func kept(
        _ edges: [EdgeChange.Edge], _ relationship: Relationship
    ) throws(StoreError) -> [EdgeChange.Edge] {
        edges.map { .init(from: $0.source, to: $0.destination) }
    }
}

final class KeepsFirstNumbersOfPairs: PairSaboteur, @unchecked Sendable {
    override func kept(
        _ edges: [EdgeChange.Edge], _ relationship: Relationship
    ) throws(StoreError) -> [EdgeChange.Edge] {
        var kept: [EdgeChange.Edge] = []
        for edge in edges {
            if try !isThere(edge, relationship) { kept.append(edge) }
        }
        return kept
    }
}

final class KeepsNumbersOfEndedPairs: PairSaboteur, @unchecked Sendable {
    private let numbers = Guarded<[[ManagedObjectID]: Int64]>([:])

    override func kept(
        _ edges: [EdgeChange.Edge], _ relationship: Relationship
    ) throws(StoreError) -> [EdgeChange.Edge] {
        var kept: [EdgeChange.Edge] = []
        for var edge in edges {
            let ends = [edge.source, edge.destination]
            if let order = edge.order {
                numbers.change { $0[ends] = order }
            } else if relationship.isOrdered, try !isThere(edge, relationship) {
                edge.order = numbers.change { $0[ends] }
            }
            kept.append(edge)
        }
        return kept
    }
}

final class SeesOwnInversesFromOneEnd: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        let model = model
        return SnapshotHooks(destinations: { (base, relationship, ids) throws(StoreError) in
            let lists = try base.destinations(of: relationship, from: ids)
            if !model[relationship].isSelfInverse { return lists }
            return zip(ids, lists).map { source, list in list.filter { $0 >= source } }
        })
    }
}

final class LosesPartners: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        name == "partner" ? .null : value
    }
}

final class LosesHiddenReferences: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        name.hasPrefix(".") ? .null : value
    }
}
