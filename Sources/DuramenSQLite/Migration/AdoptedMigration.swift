import DuramenModel
import DuramenStore
import Foundation

/// Makes a file that Core Data wrote one of this library's, with another version of its model.
///
/// Names, orders and references of such a file follow rules that its model alone does not tell. So everything is read as
/// objects and written into a new file beside it; the pages of that take the place of the old ones, in one transaction.
/// Identity and keys stay. History and versions of rows begin anew.
struct AdoptedMigration {
    let work: MigrationWork
    let store: SQLiteStore
    let core: StoreCore

    private var change: SchemaChange { work.change }

    /// - Parameter connection: That of the store's writer, whose lock the caller holds.
    func run(_ connection: Connection) throws(StoreError) {
        let snapshot = try store.snapshot()
        try work.begin(at: snapshot.generation)
        let beside = PersistentStoreDescription.sqlite(core.path + ".migrating")
            .durability(.unsafeNoSync)
        // What is left of one that was cut short.
        try beside.type.destroy(beside)
        do throws(StoreError) {
            try fill(beside, from: snapshot)
            try work.note(.indexes)
            try takeOver(beside, connection)
        } catch {
            try? beside.type.destroy(beside)
            throw error
        }
        try beside.type.destroy(beside)
        // Nobody else knows of it.
        _ = SystemCalls.removeFile(beside.location + ".lock")
    }

    private func fill(
        _ beside: PersistentStoreDescription, from snapshot: SQLiteSnapshot
    ) throws(StoreError) {
        let new = try beside.type.open(beside, model: change.target)
        do throws(StoreError) {
            try MigratedContents(work, of: snapshot, in: store, path: core.path).forEachPart(
                for: new.handle
            ) { (part) throws(StoreError) in
                guard case .conflicted(let conflicts) = try new.save(part) else { return }
                for case .uniqueness(let conflict) in conflicts {
                    throw change.target.sharedValues(conflict.constraint, in: core.path)
                }
            }
            let userInfo = try store.metadata().userInfo
            if !userInfo.isEmpty { _ = try new.save(ChangeSet(metadata: userInfo)) }
            let computed = change.rows.compactMap(\.self).filter(\.computesValues).map(\.entity)
            if !computed.isEmpty {
                _ = try DerivedRecomputation(of: computed, BatchSettings()).run(on: new)
            }
            try new.close()
        } catch {
            try? new.close()
            throw error
        }
    }

    private func takeOver(
        _ beside: PersistentStoreDescription, _ connection: Connection
    ) throws(StoreError) {
        guard let identity = store.handle.uuid else { return }
        // Pages of another size would not fit.
        let pageBytes = try connection.integer("PRAGMA page_size") ?? 4_096
        let closed = ClosedStore(beside)
        let record = StoreMigrationRecord(change, date: core.clock.date(), save: 1)
        try closed.become(identity, record, numbers: oldNumbers, pageBytes: pageBytes)
        // Statements of the old tables must not hold on to them.
        connection.endAllRuns()
        try closed.replacePages(of: connection, values: ExternalValues.ownFolder(of: core.path))
    }

    private var oldNumbers: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: change.source.entities.map {
                ($0.name, core.schema.numbers[$0.id.index])
            })
    }
}
