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
        // What is not saved yet may lead to another store, whose objects predicates do not see.
        if let object = context.registeredHere(id) {
            if !object.flags.isDisjoint(with: [.deleted, .gone]) { return nil }
            // One that is only part of new pairs may be a fault, with the values that are stored.
            if object.hasChanges, let row = context.rowWithPermanentKeys(of: object) { return row }
        }
        return id.isTemporaryID && context.parentPart == nil ? nil : try stored.row(for: id)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        let isStored =
            context.parentPart != nil || !context.currentID(of: id).isTemporaryID
        var ids = isStored ? try stored.destinations(of: relationship, from: id) : []
        if let object = context.registeredHere(id) {
            ids = object.applyingEdits(to: ids, of: relationship, in: context)
        }
        return ids.filter {
            if let object = context.registeredHere($0) {
                return object.flags.isDisjoint(with: [.deleted, .gone])
            }
            return context.isPlain || !$0.isTemporaryID && context.isOwn($0)
        }
    }
}
