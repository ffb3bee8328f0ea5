import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

// snippet: store.state
/// Everything that the store holds at one moment.
struct DictionaryState: Sendable {
    var generation: Int64 = 0
    var rows: [ManagedObjectID: Row] = [:]
    /// The pairs of many-to-manys, under the first of both sides.
    var pairs: [RelationshipID: Set<DictionaryPair>] = [:]
    var orders: [RelationshipID: [DictionaryPair: Int64]] = [:]
    var nextKeys: [EntityID: Int64] = [:]
    var saves: [UUID: Int64] = [:]
    var userInfo: [String: StoredValue] = [:]
}
// end

/// A pair of a many-to-many, as one of its sides sees it.
struct DictionaryPair: Hashable, Sendable {
    var source: ManagedObjectID
    var destination: ManagedObjectID

    var turned: DictionaryPair { DictionaryPair(source: destination, destination: source) }
}

/// A state that the stores of one name share.
final class DictionaryDatabase: Sendable {
    let uuid = UUID()
    let state = Locked(DictionaryState())
    let model: ManagedObjectModel

    init(model: ManagedObjectModel) { self.model = model }

    static let named = Locked<[String: DictionaryDatabase]>([:])
}

// snippet: store.type
struct DictionaryStoreType: PersistentStoreType {
    var name: String { "dictionary" }

    func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        let database = DictionaryDatabase.named.withLock { named in
            let new = DictionaryDatabase(model: model)
            let database = named[description.location] ?? new
            named[description.location] = database
            return database
        }
        guard database.model.versionChecksum == model.versionChecksum else {
            throw StoreError(
                .incompatibleModel,
                "'\(description.location)' has another version of the model. Open it with that one."
            )
        }
        return DictionaryStore(database, model: model, description)
    }
}
// end

extension DictionaryStoreType {
    func metadata(of description: PersistentStoreDescription) throws(StoreError) -> StoreMetadata {
        try database(description).metadata
    }

    func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        try database(description).state.withLock { state in
            state.userInfo = userInfo.filter { !$0.value.isNull }
            state.generation += 1
        }
    }

    func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        DictionaryDatabase.named.withLock { $0[description.location] = nil }
    }

    func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        throw StoreError(.unsupported, "A dictionary store cannot be copied.")
    }

    private func database(
        _ description: PersistentStoreDescription
    ) throws(StoreError) -> DictionaryDatabase {
        if let database = DictionaryDatabase.named.withLock({ $0[description.location] }) {
            return database
        }
        throw StoreError(.storeMissing, "There is no store '\(description.location)'.")
    }
}

// snippet: store.description
extension PersistentStoreDescription {
    static func dictionary(_ name: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: DictionaryStoreType(), location: name)
    }
}
// end

extension DictionaryDatabase {
    var metadata: StoreMetadata {
        var metadata = StoreMetadata(storeUUID: uuid, storeType: "dictionary", model: model)
        metadata.userInfo = state.withLock { $0.userInfo }
        return metadata
    }
}

/// A store in a dictionary, which ends with the process.
final class DictionaryStore: PersistentStore {
    let model: ManagedObjectModel
    let handle: StoreHandle
    let counters = StoreCounters()
    let capabilities: StoreCapabilities = []
    private let database: DictionaryDatabase
    private let isReadOnly: Bool
    private let isClosed = Locked(false)

    init(
        _ database: DictionaryDatabase, model: ManagedObjectModel,
        _ description: PersistentStoreDescription
    ) {
        self.database = database
        self.model = model
        handle = StoreHandle(uuid: database.uuid)
        isReadOnly = description.isReadOnly
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        try check(writing: false)
        return database.metadata
    }

    // snippet: store.snapshot
    func snapshot() throws(StoreError) -> DictionarySnapshot {
        try check(writing: false)
        counters.noteSnapshot()
        // The state is a value, so the snapshot never sees a later save.
        return DictionarySnapshot(database.state.withLock { $0 }, of: self)
    }
    // end

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try check(writing: true)
        guard (0...Int(Int32.max)).contains(count), model.entities.indices.contains(entity.index)
        else {
            throw StoreError(.invalidRequest, "Keys are allocated for an entity of the model.")
        }
        return database.state.withLock { state in
            let first = state.nextKeys[model[entity].root] ?? 1
            state.nextKeys[model[entity].root] = first + Int64(count)
            return first..<first + Int64(count)
        }
    }

    // snippet: store.save
    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try check(writing: true)
        counters.noteStatement()
        return try database.state.withLock { state throws(StoreError) in
            let save = DictionarySave(base: state, changes: changes, model: model, store: handle)
            let conflicts = try save.conflicts()
            if !conflicts.isEmpty { return .conflicted(conflicts) }
            let next = save.next()
            if changes.cancellation?.isCancelled == true {
                throw StoreError(.cancelled, "The save was cancelled; nothing was written.")
            }
            state = next
            let version = RowVersion(rawValue: next.generation)
            return .saved(
                SaveReceipt(
                    generation: StoreGeneration(rawValue: next.generation),
                    insertedVersions: changes.inserts.map { _ in version },
                    updatedVersions: changes.updates.map { _ in version }))
        }
    }
    // end

    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try check(writing: false)
        return database.state.withLock { $0.saves[identifier] }
            .map { StoreGeneration(rawValue: $0) }
    }

    // snippet: store.pushdown
    func pushdown(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in false }, acceptsOrder: { $0.isEmpty })
    }
    // end

    func close() { isClosed.withLock { $0 = true } }

    private func check(writing: Bool) throws(StoreError) {
        if isClosed.withLock({ $0 }) {
            throw StoreError(.closed, "The store was closed; open it again.")
        }
        if writing, isReadOnly {
            throw StoreError(.readOnly, "The store was opened for reading only.")
        }
    }
}
