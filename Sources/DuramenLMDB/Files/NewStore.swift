import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// Creates a store beside its location and then renames it: an environment whose creation was
/// interrupted could never be opened again.
struct NewStore {
    let folder: StoreFolder
    let model: ManagedObjectModel

    /// Creates the store. The caller holds the lock of all writers.
    func make() throws(StoreError) {
        let workshop = try StoreFolder(folder.workshop)
        try folder.clearWorkshop()
        var error = SystemCalls.makeFolder(workshop.path)
        if error != 0 { throw folder.failed(error, "make") }
        do throws(StoreError) {
            try workshop.reserveReaders()
            try fill(workshop)
            error = SystemCalls.synchronize(workshop.path)
            if error == 0 { error = SystemCalls.rename(workshop.path, to: folder.path) }
            if error != 0 { throw folder.failed(error, "make") }
        } catch {
            try? workshop.remove()
            throw error
        }
        error = SystemCalls.synchronize(folder.parent)
        if error != 0 { throw folder.failed(error, "make") }
    }

    private func fill(_ workshop: StoreFolder) throws(StoreError) {
        let error = SystemCalls.createFile(workshop.data)
        if error != 0 { throw folder.failed(error, "make") }
        guard
            let claim = try OpenStoreFile.claim(
                workshop.data, prepare: { (_) throws(StoreError) in })
        else { throw folder.failed(SystemCalls.noEntry, "make") }
        let environment = try Environment(
            workshop, isReadOnly: false, claim: claim, tables: Int(Environment.tableLimit),
            mapBytes: Environment.mapBytes,
            onEnd: { $0.end() })
        defer { environment.close() }
        let transaction = try Transaction.writing(
            environment, durability: .full, timeoutSeconds: 0)
        do throws(StoreError) {
            try describe(transaction)
        } catch {
            transaction.abort()
            throw error
        }
        let result = transaction.commit()
        if result != 0 { throw transaction.commitError(result, "make") }
        try environment.synchronize()
    }

    private func describe(_ transaction: Transaction) throws(StoreError) {
        var catalog = Catalog()
        catalog.add(model)
        guard
            let tables = try StoreTables.open(
                transaction, roots: catalog.roots.values.sorted(), creates: true)
        else { throw folder.failed(SystemCalls.noEntry, "make") }
        let meta = MetaTable(transaction: transaction, table: tables.meta)
        try meta.set(
            MetaTable.Identity(
                storeUUID: UUID(), modelChecksum: model.versionChecksum,
                entityVersionHashes: model.entityVersionHashes,
                modelVersionIdentifiers: model.versionIdentifiers))
        try meta.set(catalog)
        try meta.keep(model)
        try meta.set(IndexList())
    }
}
