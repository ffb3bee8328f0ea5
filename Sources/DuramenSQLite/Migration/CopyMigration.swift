import DuramenFileStore
import DuramenModel
import DuramenStore

/// Migrates a copy of a file, and writes the pages of the copy into the file in one transaction.
/// Readers go on with the state that they have begun to read.
struct CopyMigration {
    let copy: WorkingCopy
    let core: StoreCore
    let writer: StoreWriter

    func run() throws(StoreError) {
        defer { copy.description.discard() }
        do throws(StoreError) {
            try migrate()
        } catch {
            // A file of Core Data's has its large values elsewhere.
            if !core.schema.isOwnFile, error.code != .unknownOutcome {
                try? ExternalValues.ownFolder(of: core.path).remove()
            }
            throw error
        }
    }

    private func migrate() throws(StoreError) {
        try writer.withWriter { (source, _) throws(StoreError) in
            let connection = source.connection
            // Core Data knows nothing of the lock of our writers.
            let commits = connection.foreignCommits
            try copy.begin()
            try ClosedStore(copy.original).copy(to: copy.description.location)
            let made = ClosedStore(copy.description)
            // Another process does not delete an open copy as a leftover.
            let held = try made.connect(isReadOnly: false)
            try copy.run()
            connection.endAllRuns()
            if connection.foreignCommits != commits { throw copy.overtaken() }
            do throws(StoreError) {
                try made.copyState(of: held, to: core.path) { connection }
            } catch {
                if error.code == .diskFull, connection.cutRefusedCommit() { throw error }
                guard [.diskFull, .io].contains(error.code) else { throw error }
                throw StoreError(
                    .unknownOutcome,
                    "The migrated copy was written over '\(core.path)' half way. Open the store again to see "
                        + "which version it has.", detail: error.description)
            }
        }
    }
}
