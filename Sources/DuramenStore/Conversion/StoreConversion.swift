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
    /// Each save writes some thousand rows, so that any store is copied in little memory, and few
    /// saves wait for the disk. After an error, destroy the destination, which contains a part of
    /// the data.
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
        let filling = try StoreFilling(destination, cancellation: cancellation)
        let snapshot = try source.snapshot()
        let userInfo = try source.metadata().userInfo
        let walk = StoreWalk(source, snapshot, cancellation: cancellation)
        let roots = model.entities.filter { $0.superentity == nil }
        for entity in roots {
            try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                try filling.insert(rows)
                noteRows(rows.count)
            }
        }
        // Pairs are copied once all objects exist, so that both sides' objects have their order
        // numbers.
        for entity in roots {
            try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                try filling.insert(pairs(of: rows, walk))
            }
        }
        try filling.finish(userInfo)
        return try compare(with: snapshot)
    }

    private func pairs(
        of rows: RowBatch, _ walk: StoreWalk
    ) throws(StoreError) -> [RelationshipID: EdgeChange] {
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
        return changes
    }

    /// The ID of the copy of an object.
    private func ownID(_ id: ManagedObjectID, in model: ManagedObjectModel) -> ManagedObjectID {
        guard let entity = model.entity(of: id) else { return id }
        return ManagedObjectID(store: destination.handle, entity: entity.handle, key: id.key)
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
