public import DuramenModel

/// Recomputes the derived attributes of all objects, in one transaction.
///
/// A store updates them in each save. Recompute them after other programs have written to the file,
/// or after an attribute of existing objects was made derived. Times of `now()` are not changed.
public struct DerivedRecomputation {
    private let entities: [EntityID]?
    private let settings: BatchSettings

    /// Describes a recomputation.
    ///
    /// - Parameters:
    ///   - entities: The entities to recompute, with their sub-entities; nil for all.
    ///   - settings: The settings of the batch.
    public init(of entities: [EntityID]? = nil, _ settings: BatchSettings) {
        self.entities = entities
        self.settings = settings
    }

    /// Reads all rows of the entities, and writes those whose derived values are not up to date.
    ///
    /// - Returns: The outcome, with the number of written rows in ``BatchOutcome/count``.
    /// - Throws: `.unsupported` when the store writes no batches; `.invalidRequest` when a value
    ///   does not fit; `.cancelled`; the store's errors. After any error nothing was written.
    /// - Complexity: Reads each object, and the members of each to-many relationship that is
    ///   counted or summed.
    public func run(on store: any PersistentStore) throws(StoreError) -> BatchOutcome {
        let batching = try store.batchWriting()
        var record = BatchRecord(of: store, keepsObjectIDs: settings.keepsObjectIDs)
        guard let derived = DerivedAttributes(store.model, store: store.handle) else {
            return record.outcome
        }
        let generation = try batching.writeBatch(settings.heading) {
            transaction throws(StoreError) in
            let walk = StoreWalk(store, transaction.base, cancellation: settings.cancellation)
            let source = SnapshotState(transaction.base)
            for entity in wanted(in: store.model) {
                try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                    var part = ChangeSet(updates: try derived.recomputed(rows, from: source))
                    part.keepsDerivedValues = true
                    if part.updates.isEmpty { return }
                    for update in part.updates {
                        let id = update.row.objectID(in: store.model, store: store.handle)
                        record.noteResult(id)
                    }
                    if let conflict = try transaction.write(part).first {
                        throw store.model.uniquenessViolated(conflict)
                    }
                    try settings.note(record.outcome.count)
                }
            }
        }
        record.end(generation)
        return record.outcome
    }

    /// The topmost requested entities that have derived attributes, or whose sub-entities have
    /// some.
    private func wanted(in model: ManagedObjectModel) -> [Entity] {
        let all = (entities ?? model.entities.map(\.root)).map { model[$0] }
        var seen: Set<EntityID> = []
        return all.filter { entity in
            let isBelow = all.contains { $0 != entity && entity.isKind(of: $0) }
            let derives = model.derivations.contains { derivation in
                let owner = model[derivation.entity]
                return entity.isKind(of: owner) || owner.isKind(of: entity)
            }
            return !isBelow && derives && seen.insert(entity.id).inserted
        }
    }
}

/// A snapshot as the source of derived attributes.
final class SnapshotState: DerivationSource {
    private let snapshot: any StoreSnapshot

    init(_ snapshot: any StoreSnapshot) { self.snapshot = snapshot }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try snapshot.rows(for: ids)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try snapshot.destinations(of: relationship.id, from: [id]).first ?? []
    }
}
