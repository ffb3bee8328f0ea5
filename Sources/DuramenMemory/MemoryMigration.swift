import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import HashTreeCollections

/// Migrates a state from one version of the model to another, row by row.
struct MemoryMigration {
    let work: MigrationWork
    let base: MemoryState
    let old: MemoryStore
    let path: String

    private var change: SchemaChange { work.change }
    private var target: ManagedObjectModel { change.target }

    /// - Throws: `.valuesDoNotFit`, `.uniquenessViolated`.
    func state(at date: Date) throws(StoreError) -> MemoryState {
        var empty = MemoryState(model: target)
        empty.generation = base.generation
        empty.userInfo = base.userInfo
        empty.saves = base.saves
        empty.history = base.history
        let record = StoreMigrationRecord(change, date: date, save: .max)
        let eras = try HistoryEras([record], present: target) { (_) throws(StoreError) in
            change.source
        }
        if let era = eras.era(of: 0) { empty.history?.rename(by: era, store: old.handle) }
        var save = MemorySave(empty, model: target, store: old.handle)
        try MigratedContents(work, of: old.snapshot(of: base), in: old, path: path).forEachPart(
            for: old.handle
        ) { (part) throws(StoreError) in try save.apply(part) }
        for case .uniqueness(let conflict) in save.conflicts {
            throw target.sharedValues(conflict.constraint, in: path)
        }
        var next = save.next
        try compute(&next)
        next.remember(save: UUID())
        return next
    }

    private func compute(_ state: inout MemoryState) throws(StoreError) {
        guard let derived = DerivedAttributes(target, store: old.handle) else { return }
        let computed = Set(change.rows.compactMap { $0 }.filter(\.computesValues).map(\.entity))
        if computed.isEmpty { return }
        let source = MemorySource(state, model: target, store: old.handle)
        var ids: [ManagedObjectID] = []
        for table in state.tables {
            table.forEachRow { row in
                if computed.contains(row.entityID) {
                    ids.append(row.objectID(in: target, store: old.handle))
                }
            }
        }
        var changes = ChangeSet(
            updates: try derived.recomputed(source.rows(for: ids), from: source))
        changes.keepsDerivedValues = true
        // A migration is one save.
        let generation = state.generation
        state.generation -= 1
        var save = MemorySave(state, model: target, store: old.handle)
        try save.apply(changes)
        state = save.next
        state.generation = generation
    }
}
