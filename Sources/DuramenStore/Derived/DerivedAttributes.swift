public import DuramenModel

/// Keeps the derived attributes of a model: completes change sets with the values that follow from
/// them.
///
/// A store calls it within the transaction of a save, before it writes anything, and writes what
/// comes back.
///
/// ```
///   change set ──► which objects does it concern? ──► what is there after it ──► values ──► completed change set
///                    own slots, those at the far        stored rows and lists,
///                    ends of relationships              with the changes over them
/// ```
public struct DerivedAttributes: Sendable {
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let plan: DerivationPlan

    /// Makes it for a store; nil when the model derives nothing, so that nothing is to be done.
    public init?(_ model: ManagedObjectModel, store: StoreHandle) {
        if model.derivations.isEmpty { return nil }
        self.model = model
        self.store = store
        plan = DerivationPlan(model)
    }

    /// The to-manys that are read, for which a store should have its indexes ready.
    public var toManys: [RelationshipID] { plan.toManys.sorted() }

    /// Completes a change set, which has passed the store's ``ChangeCheck``.
    ///
    /// - Parameters:
    ///   - source: What is stored before the change set.
    ///   - version: Within a batch, the least version of rows that it has written before. What such
    ///     a row is based on counts as its newest version, since only what was derived changed it.
    /// - Throws: `.invalidRequest` when a sum does not fit its attribute; what the source throws.
    /// - Complexity: O(*n*) for *n* rows of the change set and *n* objects that depend on them; a
    ///   sum, and a count of pairs, reads all members of its to-many.
    public func complete(
        _ changes: ChangeSet, from source: any DerivationSource,
        withinBatchOf version: RowVersion? = nil
    ) throws(StoreError) -> CompletedChanges {
        if changes.keepsDerivedValues || !isConcerned(by: changes) {
            return CompletedChanges(changes)
        }
        var pass = DerivationPass(
            changes, plan: plan, model: model, store: store, source: source, version: version)
        return try pass.run()
    }

    /// The rows that have other derived values than follow from what is stored, as changes.
    public func recomputed(
        _ rows: RowBatch, from source: any DerivationSource
    ) throws(StoreError) -> [RowUpdate] {
        var pass = DerivationPass(
            ChangeSet(), plan: plan, model: model, store: store, source: source, version: nil)
        return try pass.recomputed(rows)
    }

    private func isConcerned(by changes: ChangeSet) -> Bool {
        changes.inserts.contains { plan.places[$0.entityID.index].isConcerned }
            || changes.updates.contains { plan.places[$0.row.entityID.index].isConcerned }
            || changes.edges.contains { plan.byPairs[$0.relationship] != nil }
            || changes.deletes.contains { deletion in
                model.entity(of: deletion.id).map { plan.places[$0.id.index].isConcerned } ?? false
            }
    }
}

extension ManagedObjectModel {
    /// Whether derived attributes depend on changes of an entity's objects, or of its
    /// sub-entities', so that these are not changed behind the store's back.
    func derives(from entity: Entity) -> Bool {
        if derivations.isEmpty { return false }
        let plan = DerivationPlan(self)
        return entity.family.contains { plan.places[$0.index].isConcerned }
    }
}
