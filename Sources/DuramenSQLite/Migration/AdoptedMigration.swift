import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation

/// Migrates a Core Data file to another version of its model, in Duramen's own layout.
///
/// Names, orders and references in such a file follow rules that its model does not determine. So
/// all data is read as objects and written into a new file. The tables of the new file then replace
/// the old ones, in one transaction. Identity, keys and numbers of saves are kept. The history is
/// lost.
struct AdoptedMigration {
    let work: MigrationWork
    let store: SQLiteStore
    let core: StoreCore
    let writer: StoreWriter

    private var change: SchemaChange { work.change }

    /// The path of the new file for a store.
    static func newFile(of path: String) -> String {
        path + PersistentStoreDescription.workingMark
    }

    /// Deletes the leftovers of a killed process: a new file, or a working copy with its own new
    /// file. The caller holds the lock of all writers, without which nobody makes either.
    static func clear(_ path: String) {
        let file = newFile(of: path)
        for left in [newFile(of: file), file] { PersistentStoreDescription.sqlite(left).discard() }
    }

    /// Whether a killed process may have left something. Earlier builds removed the lock file and
    /// left the copy.
    static func hasLeftovers(_ path: String) -> Bool {
        let file = newFile(of: path)
        return [newFile(of: file), file].contains { left in
            [".lock", "", ClosedStore.unfinishedMark].contains {
                if case .file = SystemCalls.kind(of: left + $0) { true } else { false }
            }
        }
    }

    func run() throws(StoreError) {
        var newStore = PersistentStoreDescription.sqlite(Self.newFile(of: core.path))
            .durability(.unsafeNoSync)
        newStore.appleVersionHashes = core.appleVersionHashes
        newStore.rowChecksums = core.checksums != nil
        try writer.withWriter { (source, _) throws(StoreError) in
            Self.clear(core.path)
            defer { Self.clear(core.path) }
            try replace(source, from: newStore)
        }
    }

    private func replace(
        _ source: RowSource, from newStore: PersistentStoreDescription
    ) throws(StoreError) {
        let connection = source.connection
        // Core Data does not use Duramen's lock.
        let commits = connection.foreignCommits
        try work.begin()
        let snapshot = try store.snapshot()
        try fill(newStore, from: snapshot)
        try work.note(.indexes)
        // Large values of a Core Data file are in another folder. Without the lock, these could be
        // those of a migration by another process.
        let values = ExternalValues.ownFolder(of: core.path)
        do throws(StoreError) {
            try ExternalValues.ownFolder(of: newStore.location).copy(to: values)
            try overwrite(source, from: newStore, ifCommits: commits)
        } catch {
            if error.code != .unknownOutcome { try? values.remove() }
            throw error
        }
    }

    private func overwrite(
        _ source: RowSource, from newStore: PersistentStoreDescription, ifCommits commits: Int64
    ) throws(StoreError) {
        let connection = source.connection
        connection.endAllRuns()
        try connection.attach(newStore.location)
        defer { connection.detach() }
        try writer.transaction(source) { () throws(StoreError) in
            if connection.foreignCommits != commits { throw work.overtaken() }
            try connection.stopping(on: work.cancellation) { () throws(StoreError) in
                try takeOver(connection)
            }
            // The checksums of the new tables came with them.
            writer.checksums?.forget()
            try work.note(.indexes, 1)
        }
    }

    private func fill(
        _ description: PersistentStoreDescription, from snapshot: SQLiteSnapshot
    ) throws(StoreError) {
        let new = try description.type.open(description, model: change.target)
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
                var settings = BatchSettings()
                settings.cancellation = work.cancellation
                _ = try DerivedRecomputation(of: computed, settings).run(on: new)
            }
            try new.close()
        } catch {
            try? new.close()
            throw error
        }
    }

    // MARK: - Tables

    private func takeOver(_ connection: Connection) throws(StoreError) {
        let old = try MetadataTable(connection: connection).read()
        let keys = try highestKeys(connection)
        try connection.replaceTables(except: "DURAMEN_SAVE")
        try connection.execute(
            "UPDATE Z_METADATA SET Z_UUID = '\(old.uuid.uuidString)'")
        try MetadataTable(connection: connection).keepEntries(of: old.list)
        let raise = try connection.prepare(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(Z_MAX, ?) WHERE Z_NAME = ?")
        for (entity, key) in keys {
            raise.bind(key, at: 1)
            raise.bind(.text(StoredText(entity)), at: 2)
            try connection.run(raise, "migrate")
        }
        // A new number, so that the transaction is not mistaken for another file's.
        try connection.execute("INSERT INTO DURAMEN_SAVE (ZIDENTIFIER) VALUES (randomblob(16))")
        let number = try connection.integer("SELECT MAX(Z_PK) FROM DURAMEN_SAVE") ?? 1
        try ModelTable(connection: connection).keep(change.source)
        try MigrationTable(connection: connection).add(
            change, of: core.schema, at: core.settings.clock.date(), save: number)
    }

    /// The highest allocated key, by new root.
    private func highestKeys(_ connection: Connection) throws(StoreError) -> [(String, Int64)] {
        var keys: [(String, Int64)] = []
        for root in change.target.entities where root.superentity == nil {
            var highest: Int64 = 0
            for source in root.family.compactMap({ change.sourceEntities[$0.index] }) {
                let number = core.schema.tableMap(of: source).rootNumber
                let key = try connection.integer(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
                highest = max(highest, key ?? 0)
            }
            keys.append((root.name, highest))
        }
        return keys
    }
}

extension Connection {
    /// Attaches another file as `made`, which connections otherwise may not do.
    fileprivate func attach(_ path: String) throws(StoreError) {
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        let statement = try prepare("ATTACH DATABASE ? AS made")
        statement.bind(.text(StoredText(path)), at: 1)
        try run(statement, "use")
    }

    fileprivate func detach() {
        endAllRuns()
        try? execute("DETACH DATABASE made")
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    }

    /// Replaces all tables of this file with those of the other file, including rows and indexes.
    fileprivate func replaceTables(except kept: String) throws(StoreError) {
        let quote = SQLiteDialect().quote
        func names(_ file: String, _ condition: String) throws(StoreError) -> [String] {
            try texts(
                "SELECT name FROM \(file).sqlite_master WHERE \(condition) "
                    + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '\(kept)' ORDER BY rowid"
            )
        }
        // Dropping virtual tables also drops their internal tables.
        for kind in ["trigger", "view"] {
            for name in try names("main", "type = '\(kind)'") {
                try execute("DROP \(kind.uppercased()) IF EXISTS main.\(quote(name))")
            }
        }
        for condition in ["sql LIKE 'CREATE VIRTUAL%'", "type = 'table'"] {
            for name in try names("main", condition) {
                try execute("DROP TABLE IF EXISTS main.\(quote(name))")
            }
        }
        func make(_ condition: String) throws(StoreError) {
            let creations = try texts(
                "SELECT sql FROM made.sqlite_master WHERE \(condition) AND sql IS NOT NULL "
                    + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '\(kept)'")
            for sql in creations { try execute(sql) }
        }
        try make("type = 'table'")
        for name in try names("made", "type = 'table'") {
            try execute("INSERT INTO main.\(quote(name)) SELECT * FROM made.\(quote(name))")
        }
        try make("type = 'index'")
    }
}
