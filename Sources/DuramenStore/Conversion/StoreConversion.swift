import DuramenModel
public import DuramenQuery

/// Copies all data of one store into a new store of any kind.
///
/// ```swift
/// let source = try PersistentStoreDescription.sqlite("library.sqlite").readOnly()
///     .open(model: model)
/// let destination = try PersistentStoreDescription.lmdb("library.lmdb").open(model: model)
/// let checksums = try StoreConversion(from: source, to: destination).run()
/// ```
/// Objects keep their keys, and so their order by ID. The new store has its own identity, so the
/// URIs of the objects differ. Versions start again.
public struct StoreConversion {
    private let source: any PersistentStore
    private let destination: any PersistentStore
    /// A flag that ends the work when it is raised.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of rows copied, and later compared, since the last call.
    public var noteRows: (Int) -> Void = { _ in }

    /// Creates a conversion between two stores that were opened with one model.
    public init(from source: any PersistentStore, to destination: any PersistentStore) {
        self.source = source
        self.destination = destination
    }

    /// Copies one state of the source, and compares the result with it.
    ///
    /// The data is written in many saves, so that any store is copied in the memory of some hundred
    /// rows. After an error, destroy the destination: it contains a part of the data.
    ///
    /// - Returns: The checksums of both stores' data.
    /// - Throws: `.invalidRequest` when the destination is not empty, or when the source contains
    ///   data that the model forbids, such as a unique value twice. `.damagedFile` when the copy
    ///   differs from the source; `.cancelled`; the stores' errors.
    /// - Complexity: Reads all data twice and writes it once.
    @discardableResult
    public func run() throws(StoreError) -> StoreChecksums {
        let model = source.model
        guard model.versionChecksum == destination.model.versionChecksum else {
            throw StoreError(
                .invalidRequest,
                "The two stores were opened with different models; open both with one.")
        }
        let empty = try StoreChecksums(reading: try destination.snapshot(), of: destination)
        if let known = empty.entities.first(where: { $0.rowCount > 0 }) {
            throw StoreError(
                .invalidRequest,
                "The store to copy into has objects of '\(known.name)' already; copy into a new one."
            )
        }
        let snapshot = try source.snapshot()
        let userInfo = try source.metadata().userInfo
        let walk = StoreWalk(source, snapshot, cancellation: cancellation)
        let roots = model.entities.filter { $0.superentity == nil }
        for entity in roots {
            try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                try save(ChangeSet(inserts: RowList(rows)))
                noteRows(rows.count)
            }
        }
        // Pairs are copied once all objects exist, so that both sides' objects have their order
        // numbers.
        for entity in roots {
            try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                try copyPairs(of: rows, walk)
            }
        }
        if !userInfo.isEmpty { try save(ChangeSet(metadata: userInfo)) }
        return try compare(with: snapshot)
    }

    private func copyPairs(of rows: RowBatch, _ walk: StoreWalk) throws(StoreError) {
        let model = source.model
        var changes: [RelationshipID: EdgeChange] = [:]
        try walk.forEachPair(of: rows) { relationship, pair in
            // Without order numbers a pair is the same from both sides.
            if !relationship.isOrdered, relationship.inverse < relationship.id { return }
            var pair = pair
            pair.source = ownID(pair.source, in: model)
            pair.destination = ownID(pair.destination, in: model)
            changes[relationship.id, default: EdgeChange(relationship: relationship.id)]
                .added.append(pair)
        }
        if changes.isEmpty { return }
        // One after the other, because a pair that both sides number is in two of the changes.
        for id in changes.keys.sorted() {
            if let change = changes[id] { try save(ChangeSet(edges: [change])) }
        }
    }

    /// The ID of the copy of an object.
    private func ownID(_ id: ManagedObjectID, in model: ManagedObjectModel) -> ManagedObjectID {
        guard let entity = model.entity(of: id) else { return id }
        return ManagedObjectID(store: destination.handle, entity: entity.handle, key: id.key)
    }

    private func save(_ changes: ChangeSet) throws(StoreError) {
        var changes = changes
        changes.cancellation = cancellation
        changes.keepsDerivedValues = true
        guard case .conflicted(let conflicts) = try destination.save(changes) else { return }
        for case .uniqueness(let conflict) in conflicts {
            let names = conflict.constraint.properties.joined(separator: ", ")
            throw StoreError(
                .invalidRequest,
                "\(conflict.id) and \(conflict.otherID) have the same \(names), which the model calls unique; "
                    + "change one of them first.")
        }
        throw StoreError(
            .invalidRequest,
            "Somebody else writes to the store that is copied into; copy into one that nobody uses."
        )
    }

    private func compare(with snapshot: any StoreSnapshot) throws(StoreError) -> StoreChecksums {
        let checksums = try StoreChecksums(
            reading: snapshot, of: source, cancellation: cancellation, noteRows: noteRows)
        let copied = try StoreChecksums(
            reading: try destination.snapshot(), of: destination, cancellation: cancellation)
        for (original, copy) in zip(checksums.entities, copied.entities) where original != copy {
            throw StoreError(
                .damagedFile,
                "The copies of the objects of '\(original.name)' differ from them; copy again.")
        }
        return checksums
    }
}
