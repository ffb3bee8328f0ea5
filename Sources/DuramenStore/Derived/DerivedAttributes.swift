public import DuramenModel

/// Completes change sets with the resulting values of derived attributes.
///
/// A store calls it within the transaction of a save, before it writes anything, and writes the
/// completed change set.
///
/// ```
///   change set ──► affected objects ──► state afterwards ──► values ──► completed change set
///                  own slots, and         stored rows and pairs,
///                  those at the other     with the changes applied
///                  ends of relationships
/// ```
public struct DerivedAttributes: Sendable {
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let plan: DerivationPlan

    /// Creates it for a store; nil when the model has no derived attributes.
    public init?(_ model: ManagedObjectModel, store: StoreHandle) {
        if model.derivations.isEmpty { return nil }
        self.model = model
        self.store = store
        plan = DerivationPlan(model)
    }

    /// The to-many relationships that are read. A store should have indexes for them.
    public var toManys: [RelationshipID] { plan.toManys.sorted() }

    /// Completes a change set that has passed the store's ``ChangeCheck``.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - source: The state before the change set.
    ///   - version: Within a batch, the lowest version of rows that the batch has written. An
    ///     update or deletion of such a row is based on its newest version, since only derived
    ///     attributes changed.
    /// - Throws: `.invalidRequest` when a sum does not fit its attribute; the source's errors.
    /// - Complexity: O(*n*) for *n* rows of the change set and objects that depend on them. A sum,
    ///   or a count of pairs, reads all members of its to-many relationship.
    public func complete(
        _ changes: ChangeSet, from source: any DerivationSource,
        withinBatchOf version: RowVersion? = nil
    ) throws(StoreError) -> CompletedChanges {
        if !isConcerned(by: changes) { return CompletedChanges(changes) }
        var pass = DerivationPass(
            changes, plan: plan, model: model, store: store, source: source, version: version)
        return try pass.run()
    }

    /// Returns updates of the rows whose derived values differ from newly computed ones.
    public func recomputed(
        _ rows: RowBatch, from source: any DerivationSource
    ) throws(StoreError) -> [RowUpdate] {
        var pass = DerivationPass(
            ChangeSet(), plan: plan, model: model, store: store, source: source, version: nil)
        return try pass.recomputed(rows)
    }

    /// Whether derived attributes may get new values with a change set.
    public func isConcerned(by changes: ChangeSet) -> Bool {
        if changes.keepsDerivedValues { return false }
        return changes.inserts.contains { plan.places[$0.entityID.index].isConcerned }
            || changes.updates.contains { plan.places[$0.row.entityID.index].isConcerned }
            || changes.edges.contains { plan.byPairs[$0.relationship] != nil }
            || changes.deletes.contains { deletion in
                model.entity(of: deletion.id).map { plan.places[$0.id.index].isConcerned } ?? false
            }
    }
}

extension ManagedObjectModel {
    /// Whether derived attributes depend on objects of an entity or its sub-entities, so that an
    /// engine must not change these objects by itself.
    func derives(from entity: Entity) -> Bool {
        if derivations.isEmpty { return false }
        let plan = DerivationPlan(self)
        return entity.family.contains { plan.places[$0.index].isConcerned }
    }
}
