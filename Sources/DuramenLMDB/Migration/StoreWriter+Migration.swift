import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

extension StoreWriter {
    /// Migrates the store to another version of its model, in one transaction.
    func migrate(_ work: MigrationWork) throws(StoreError) {
        try alone { () throws(StoreError) in
            // The migration opens tables.
            try environment.openingTables { () throws(StoreError) in
                _ = try transaction { (transaction) throws(StoreError) -> Void? in
                    try SchemaMigration(writer: self, transaction: transaction, work: work)
                        .run()
                }
            }
        }
    }

    /// Migrates a copy of the store, and renames its file over this store's.
    ///
    /// No other process may have the store open, because it would continue to use the replaced
    /// file.
    ///
    /// - Parameters:
    ///   - copy: The working copy.
    ///   - close: Closes everything except this writer.
    func migrate(through copy: WorkingCopy, _ close: () -> Void) throws(StoreError) {
        try alone { () throws(StoreError) in
            if !environment.isOnlyUser() { throw StoreError.openByOthers(folder.path) }
            // Before another process gets the lock and makes its own copy there.
            defer { copy.description.discard() }
            try copy.begin()
            let made = try ClosedStore(copy.description)
            made.folder.clearLeftover()
            try ClosedStore(copy.original).copy(to: made.folder)
            try copy.run()
            try made.folder.values.copy(to: folder.values)
            close()
            use = nil
            // Nobody can open it while the lock of all writers is held.
            let presence = try Presence(folder, isReadOnly: false)
            defer { presence.end() }
            guard presence.becomeOnly() else { throw StoreError.openByOthers(folder.path) }
            try takePlace(made.folder)
        }
    }

    private func takePlace(_ made: StoreFolder) throws(StoreError) {
        var error = SystemCalls.synchronize(made.data)
        if error == 0 { error = SystemCalls.rename(made.data, to: folder.data) }
        if error != 0 { throw folder.failed(error, "replace") }
        made.clearLeftover()
        error = SystemCalls.synchronize(folder.path)
        if error == 0 { return }
        throw StoreError(
            .unknownOutcome,
            "'\(folder.path)' was migrated, and a loss of power may take that back; open it again to see.",
            detail: SystemCalls.message(error))
    }
}

extension StoreError {
    /// Returns the error for a store that other processes have open.
    fileprivate static func openByOthers(_ path: String) -> StoreError {
        StoreError(
            .storeBusy,
            "Another process has '\(path)' open, and a migration by stages needs it alone; close it there first. "
                + "Nothing was changed.")
    }
}
