import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Synchronization

/// A store in a JSON file.
///
/// Reading needs no lock: a snapshot is the newest version of the file. Writing takes the lock,
/// reads the newest version, and replaces it.
final class JSONStore: PersistentStore, SchemaMigratingStore {
    let model: ManagedObjectModel
    let handle: StoreHandle
    let counters = StoreCounters()
    var capabilities: StoreCapabilities { [.durable, .schemaMigration] }

    private struct Newest {
        var version: FileVersion
        var state: JSONState
    }

    private let file: JSONFile
    private let claim: Locked<OpenStoreFile?>
    // What the store is noted as open under.
    private let registration: UUID
    private let newest: Locked<Newest>
    // One lock for the threads, and in it one for the processes; that is nil for reading only.
    private let turn = Locked(())
    private let lock: StoreFileLock?
    /// Keys that were handed out to this store and not yet by it.
    private let leases = Locked<[EntityID: KeyLease]>([:])
    private let closed = Atomic<Bool>(false)
    private let process = ProcessMark()

    init(
        _ file: JSONFile, _ content: JSONFile.Content, model: ManagedObjectModel,
        _ description: PersistentStoreDescription
    ) throws(StoreError) {
        self.file = file
        self.model = model
        let state = try JSONState(content.document, model: model, path: file.path)
        handle = StoreHandle(uuid: state.header.identity)
        newest = Locked(Newest(version: content.version, state: state))
        lock = description.isReadOnly ? nil : try file.lock()
        // Two open files of one identity would give two objects one ID.
        let claim = try OpenStoreFile.claim(file.lockPath) { _ in }
        self.claim = Locked(claim)
        registration = description.registration(of: state.header.identity)
        if let claim {
            try OpenStoreFile.addStore(registration, in: claim.identity, path: file.path)
        }
    }

    deinit { close() }

    func metadata() throws(StoreError) -> StoreMetadata { try newestState().header.metadata }

    func snapshot() throws(StoreError) -> JSONSnapshot {
        counters.noteSnapshot()
        return JSONSnapshot(try newestState(), model: model, store: handle, counters: counters)
    }

    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        let saves = try newestState().header.saves
        return saves[identifier.uuidString].map { StoreGeneration(rawValue: $0) }
    }

    /// Accepts the order by key, and the window when nothing else is left.
    func pushdown(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in false }, acceptsOrder: { $0.isEmpty })
    }

    func close() {
        if closed.exchange(true, ordering: .acquiringAndReleasing) { return }
        claim.withLock { claim in
            if claim != nil { OpenStoreFile.removeStore(registration) }
            claim = nil
        }
    }

    // MARK: - Reading

    /// The newest state, read again when the file was replaced.
    private func newestState() throws(StoreError) -> JSONState {
        try process.check(file.path)
        if closed.load(ordering: .acquiring) {
            throw StoreError(.closed, "The store '\(file.path)' was closed; open it again.")
        }
        return try newest.withLock { newest throws(StoreError) in
            if newest.version.isStill(at: file.path) { return newest.state }
            guard let content = try file.read(), content.document.header.identity == handle.uuid
            else {
                throw StoreError(
                    .storeFileMoved,
                    "'\(file.path)' was deleted or replaced by another store; open it again.")
            }
            if content.document.header.modelChecksum != model.versionChecksum {
                throw StoreError.storeMigrated(file.path)
            }
            counters.noteStatement()
            newest.state = try JSONState(content.document, model: model, path: file.path)
            newest.version = content.version
            return newest.state
        }
    }

    // MARK: - Writing

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try write { base throws(StoreError) in
            try Self.stopIfCancelled(changes)
            let save = JSONSave(base: base, changes: changes, model: model, store: handle)
            let conflicts = try save.conflicts()
            if !conflicts.isEmpty { return .conflicted(conflicts) }
            let next = save.next()
            try Self.stopIfCancelled(changes)
            try replace(with: next)
            skipKeys(of: changes.inserts)
            let version = RowVersion(rawValue: next.header.generation)
            return .saved(
                SaveReceipt(
                    generation: next.generation,
                    insertedVersions: changes.inserts.map { _ in version },
                    updatedVersions: changes.updates.map { _ in version }))
        }
    }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        guard (0...Int(Int32.max)).contains(count), model.entities.indices.contains(entity.index)
        else {
            throw StoreError(
                .invalidRequest,
                "Keys are allocated for an entity of the model, up to 2^31 at once.")
        }
        let root = model[entity].root
        return try write { base throws(StoreError) in
            var lease = leases.withLock { $0[root, default: KeyLease()] }
            defer { leases.withLock { $0[root] = lease } }
            var next = base
            while true {
                if let keys = lease.take(count) { return keys }
                // Written before they are used, so that no other process hands them out too.
                let first = next.header.nextKeys[model[root].name] ?? 1
                let end = first + Int64(lease.nextSize(count))
                next.header.nextKeys[model[root].name] = end
                try replace(with: next)
                lease.add(first..<end)
            }
        }
    }

    /// Never allocates the keys of rows that a conversion has brought along.
    private func skipKeys(of rows: RowList) {
        leases.withLock { leases in
            for row in rows { leases[model[row.entityID].root]?.skip(through: row.key) }
        }
    }

    /// Runs `body` with the newest state, which nobody replaces meanwhile.
    private func write<Result: Sendable>(
        _ body: (JSONState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let lock else {
            throw StoreError(.readOnly, "'\(file.path)' was opened for reading only.")
        }
        return try turn.withLock { _ throws(StoreError) in
            try lock.withLock { () throws(StoreError) in try body(try newestState()) }
        }
    }

    private func replace(with state: JSONState) throws(StoreError) {
        counters.noteStatement()
        let version = try file.replace(with: state.document(model: model, store: handle))
        newest.withLock { $0 = Newest(version: version, state: state) }
    }

    /// Writes the file again for another version of the model, and closes this store.
    func migrate(_ work: MigrationWork) throws(StoreError) {
        try write { base throws(StoreError) in
            try work.begin()
            let next = try JSONMigration(work, of: base, in: self, path: file.path).state(
                JSONSnapshot(base, model: model, store: handle, counters: counters))
            _ = try file.replace(with: next.document(model: work.change.target, store: handle))
        }
        close()
    }

    private static func stopIfCancelled(_ changes: ChangeSet) throws(StoreError) {
        if changes.cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The save was cancelled; nothing was written.")
        }
    }
}
