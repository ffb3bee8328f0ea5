import DuramenModel
import DuramenQuery
import DuramenStore

/// The object graph as a context sees it, unsaved changes included, for the evaluator.
final class ContextSource: EvaluationSource {
    private let part: ContextPart
    private let snapshot: any StoreSnapshot
    private let stored: SnapshotSource

    init(_ part: ContextPart, snapshot: any StoreSnapshot) {
        self.part = part
        self.snapshot = snapshot
        stored = SnapshotSource(part.store, snapshot)
    }

    var model: ManagedObjectModel { part.model }
    var store: StoreHandle { part.handle.store }

    func expect(_ rows: @escaping () -> [Row]) { stored.expect(rows) }
    func advance(to index: Int) { stored.advance(to: index) }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        // Unsaved references may refer to another store, whose objects predicates do not see.
        if let object = part.registeredHere(id) {
            if !object.flags.isDisjoint(with: [.deleted, .gone]) { return nil }
            // An object with changes only in pairs may be a fault; its stored values apply.
            if object.hasChanges, let row = part.rowWithPermanentKeys(of: object) { return row }
        }
        return id.isTemporaryID && part.parentPart == nil ? nil : try stored.row(for: id)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        let isStored =
            part.parentPart != nil || !part.currentID(of: id).isTemporaryID
        var ids = isStored ? try stored.destinations(of: relationship, from: id) : []
        if let object = part.registeredHere(id) {
            ids = object.applyingEdits(to: ids, of: relationship, in: part)
        }
        return ids.filter {
            if let object = part.registeredHere($0) {
                return object.flags.isDisjoint(with: [.deleted, .gone])
            }
            return part.isAlone || !$0.isTemporaryID && part.isOwn($0)
        }
    }
}
