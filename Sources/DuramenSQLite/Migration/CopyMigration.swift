import DuramenFileStore
import DuramenModel
import DuramenStore

/// Migrates a copy of a file, and writes the pages of the copy into the file in one transaction.
/// Readers keep the state that they have started to read.
struct CopyMigration {
    let copy: WorkingCopy
    let core: StoreCore
    let writer: StoreWriter

    func run() throws(StoreError) {
        try writer.withWriter { (source, _) throws(StoreError) in
            // Before another process gets the lock and makes its own copy there.
            defer { copy.description.discard() }
            try migrate(source.connection)
        }
    }

    private func migrate(_ connection: Connection) throws(StoreError) {
        // Core Data does not use Duramen's lock.
        let commits = connection.foreignCommits
        try copy.begin()
        try ClosedStore(copy.original).copy(to: copy.description.location)
        let made = ClosedStore(copy.description)
        let finished = try made.connect(isReadOnly: false)
        try copy.run()
        connection.endAllRuns()
        if connection.foreignCommits != commits { throw copy.overtaken() }
        do throws(StoreError) {
            try made.copyState(of: finished, to: core.path) { connection }
        } catch {
            let isRefused = error.code == .diskFull && connection.cutRefusedCommit()
            if !isRefused, [.diskFull, .io].contains(error.code) {
                throw StoreError(
                    .unknownOutcome,
                    "The migrated copy was written over '\(core.path)' half way. Open the store again to see which "
                        + "version it has.", detail: error.description)
            }
            // Large values of a Core Data file are in another folder. Without the lock, these could
            // be those of a migration by another process.
            if !core.schema.isOwnFile, error.code != .unknownOutcome {
                try? ExternalValues.ownFolder(of: core.path).remove()
            }
            throw error
        }
    }
}
