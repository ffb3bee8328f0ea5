import DuramenModel
import DuramenQuery
import DuramenStore

/// The graph as a context sees it, with its unsaved changes, for the evaluator.
final class ContextSource: EvaluationSource {
    private let context: ManagedObjectContext
    private let snapshot: any StoreSnapshot
    private let stored: SnapshotSource

    init(_ context: ManagedObjectContext, snapshot: any StoreSnapshot) {
        self.context = context
        self.snapshot = snapshot
        stored = SnapshotSource(context.store, snapshot)
    }

    var model: ManagedObjectModel { context.model }
    var store: StoreHandle { context.handle.store }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let object = context.registeredObject(for: id) {
            if !object.flags.isDisjoint(with: [.deleted, .gone]) { return nil }
            if object.hasChanges { return context.rowWithPermanentKeys(of: object) }
        }
        return id.isTemporaryID ? nil : try stored.row(for: id)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        let isStored = !context.currentID(of: id).isTemporaryID
        var ids = isStored ? try stored.destinations(of: relationship, from: id) : []
        if let state = context.registeredObject(for: id)?.toManyState(of: relationship) {
            ids = state.applyingEdits(to: ids, in: context)
        }
        return ids.filter {
            context.registeredObject(for: $0)?.flags.isDisjoint(with: [.deleted, .gone]) ?? true
        }
    }
}
