import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a state, not copied, for evaluating predicates and sort keys.
// A class, because copying a state retains its many collections.
final class MemorySource: EvaluationSource, Sendable {
    let state: MemoryState
    let model: ManagedObjectModel
    let store: StoreHandle

    init(_ state: MemoryState, model: ManagedObjectModel, store: StoreHandle) {
        self.state = state
        self.model = model
        self.store = store
    }

    func row(for id: ManagedObjectID) throws(Never) -> Row? {
        id.store == store ? state.row(for: id, in: model) : nil
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(Never) -> [ManagedObjectID] {
        rows(of: relationship, from: id).map(self.id(of:))
    }

    /// The destination rows of a to-many relationship, ascending by key.
    func rows(of relationship: Relationship, from source: ManagedObjectID) -> [Row] {
        guard let row = row(for: source),
            model[row.entityID].isKind(of: model[relationship.declaringEntity])
        else { return [] }
        return state.destinationRows(of: relationship, from: source.key, in: model)
    }

    /// Returns copies of rows by ID.
    func rows(for ids: [ManagedObjectID]) -> RowBatch {
        let rows = ids.compactMap(row(for:))
        var copies = RowCopies(model: model, capacity: rows.count)
        for row in rows { copies.append(row) }
        return copies.finish()
    }

    /// The ID of a row.
    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}

extension MemorySource: DerivationSource {}
