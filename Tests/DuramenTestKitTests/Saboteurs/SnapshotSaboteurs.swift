import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let snapshotSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.snapshots, ReadsTheNewestState.self),
        SaboteurEntry(.snapshots, ReadsNewestDestinations.self),
        SaboteurEntry(.snapshots, OpensCursorsLate.self),
        SaboteurEntry(.snapshots, StaysInItsFirstState.self),
        SaboteurEntry(.snapshots, SortsRequestedRows.self),
        SaboteurEntry(.snapshots, IgnoresTheEntityOfAnID.self),
        SaboteurEntry(.snapshots, HasOneGenerationForever.self),
        SaboteurEntry(.snapshots, TurnsDestinationsRound.self),
        SaboteurEntry(.snapshots, ListsMissingDestinations.self),
        SaboteurEntry(.snapshots, ReadsFiveHundredRowsAtMost.self),
        SaboteurEntry(.snapshots, IsTheNewestForever.self),
    ]
}

final class ReadsTheNewestState: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        let store = base
        return SnapshotHooks(
            rows: { (_, ids) throws(StoreError) in try store.snapshot().rows(for: ids) },
            destinations: { (_, relationship, ids) throws(StoreError) in
                try store.snapshot().destinations(of: relationship, from: ids)
            },
            cursor: { (_, query) throws(StoreError) in try store.snapshot().cursor(query) })
    }
}

final class ReadsNewestDestinations: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        let store = base
        return SnapshotHooks(destinations: { (_, relationship, ids) throws(StoreError) in
            try store.snapshot().destinations(of: relationship, from: ids)
        })
    }
}

final class OpensCursorsLate: Saboteur, @unchecked Sendable {
    /// Reads each batch in the state that is newest then.
    private final class LateCursor: StoreCursor {
        let store: any PersistentStore
        let query: StoreQuery
        var place = 0

        init(_ store: any PersistentStore, _ query: StoreQuery) {
            self.store = store
            self.query = query
        }

        func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
            var part = query
            part.offset += place
            part.limit = min(maximumRows, query.limit.map { $0 - place } ?? .max)
            place += maximumRows
            if part.limit ?? 0 <= 0 { return nil }
            return try store.snapshot().cursor(part).next(maximumRows: maximumRows)
        }
    }

    override var hooks: SnapshotHooks {
        let store = base
        return SnapshotHooks(cursor: { (_, query) throws(StoreError) in LateCursor(store, query) })
    }
}

final class StaysInItsFirstState: Saboteur, @unchecked Sendable {
    private let first = Guarded<(any StoreSnapshot)?>(nil)

    override func snapshot() throws(StoreError) -> SabotagedSnapshot {
        let newest = try base.snapshot()
        let kept = first.change { first in
            // The first few saves are seen, as the cases need something to look at.
            if newest.generation.rawValue < 2 || first == nil { first = newest }
            return first ?? newest
        }
        return SabotagedSnapshot(kept, SnapshotHooks())
    }
}

final class SortsRequestedRows: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(rows: { (base, ids) throws(StoreError) in
            try base.rows(for: Set(ids).sorted())
        })
    }
}

final class IgnoresTheEntityOfAnID: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        let model = model
        let store = handle
        return SnapshotHooks(rows: { (base, ids) throws(StoreError) in
            var rows: [Row] = []
            for id in ids {
                guard let entity = model.entity(of: id) else { continue }
                let candidates = model[entity.root].family.map {
                    ManagedObjectID(store: store, entity: model[$0].handle, key: id.key)
                }
                rows += try base.rows(for: candidates)
            }
            return .packed(rows, model)
        })
    }
}

final class HasOneGenerationForever: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(generation: { _ in StoreGeneration(rawValue: 1) })
    }
}

final class TurnsDestinationsRound: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(destinations: { (base, relationship, ids) throws(StoreError) in
            try base.destinations(of: relationship, from: ids).map { $0.reversed() }
        })
    }
}

final class ListsMissingDestinations: Saboteur, @unchecked Sendable {
    private let seen = Guarded<[RelationshipID: [ManagedObjectID: Set<ManagedObjectID>]]>([:])

    override var hooks: SnapshotHooks {
        let seen = seen
        return SnapshotHooks(destinations: { (base, relationship, ids) throws(StoreError) in
            let lists = try base.destinations(of: relationship, from: ids)
            return seen.change { seen in
                zip(ids, lists).map { id, list in
                    seen[relationship, default: [:]][id, default: []].formUnion(list)
                    return seen[relationship]?[id]?.sorted() ?? list
                }
            }
        })
    }
}

final class ReadsFiveHundredRowsAtMost: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(rows: { (base, ids) throws(StoreError) in
            try base.rows(for: Array(ids.prefix(500)))
        })
    }
}

final class IsTheNewestForever: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks { SnapshotHooks(isNewest: { _ in true }) }
}
