import DuramenModel
import DuramenStore
import Foundation

/// Makes the state of one version of a model a state of another one.
struct JSONMigration {
    private let work: MigrationWork
    private let base: JSONState
    private let store: JSONStore
    private let path: String

    init(_ work: MigrationWork, of base: JSONState, in store: JSONStore, path: String) {
        self.work = work
        self.base = base
        self.store = store
        self.path = path
    }

    private var change: SchemaChange { work.change }

    /// - Throws: `.cancelled`, `.valuesDoNotFit`, `.uniquenessViolated`.
    func state(_ snapshot: JSONSnapshot) throws(StoreError) -> JSONState {
        var next = JSONState(header: header())
        try MigratedContents(work, of: snapshot, in: store, path: path).forEachPart(
            for: store.handle
        ) { (part) throws(StoreError) in
            let save = JSONSave(
                base: next, changes: part, model: change.target, store: store.handle)
            for case .uniqueness(let conflict) in try save.conflicts() {
                throw change.target.sharedValues(conflict.constraint, in: path)
            }
            next = save.next()
        }
        // However many parts it has, a change of the model is one save.
        next.header.saves = base.header.saves
        next.header.migrations =
            (base.header.migrations ?? []) + [
                StoreMigrationRecord(change, date: Date(), save: next.header.generation)
            ]
        return next
    }

    private func header() -> JSONHeader {
        var header = JSONHeader(model: change.target)
        header.identity = base.header.identity
        header.generation = base.header.generation + 1
        header.userInfo = base.header.userInfo
        // No key is ever handed out twice.
        for (entity, old) in zip(change.target.entities, change.sourceEntities) {
            guard let old else { continue }
            let last = base.header.nextKeys[change.source[change.source[old].root].name] ?? 1
            header.keepClear(of: last - 1, root: change.target[entity.root].name)
        }
        return header
    }
}
