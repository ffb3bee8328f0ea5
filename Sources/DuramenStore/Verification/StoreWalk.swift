package import DuramenModel
package import DuramenQuery

/// Iterates over one state of a store in batches.
package struct StoreWalk {
    private let store: any PersistentStore
    private let snapshot: any StoreSnapshot
    private let cancellation: CancellationFlag?

    /// The number of rows in memory at a time.
    private static let batchRows = 500

    package init(
        _ store: any PersistentStore, _ snapshot: any StoreSnapshot,
        cancellation: CancellationFlag? = nil
    ) {
        self.store = store
        self.snapshot = snapshot
        self.cancellation = cancellation
    }

    /// Calls `body` with all rows of an entity and its sub-entities.
    package func forEachBatch(
        of entity: Entity, _ body: (RowBatch) throws(StoreError) -> Void
    ) throws(StoreError) {
        let query = store.pushdown(for: StoreQuery(entity: entity.id)).prepared
        let cursor = try snapshot.cursor(query)
        while let rows = try cursor.next(maximumRows: Self.batchRows) {
            if cancellation?.isCancelled == true {
                throw StoreError(.cancelled, "Reading the store was cancelled.")
            }
            try body(rows)
        }
    }

    /// Calls `body` with the many-to-many pairs whose sources are some rows, and their order
    /// numbers.
    package func forEachPair(
        of rows: RowBatch, _ body: (Relationship, EdgeChange.Edge) -> Void
    ) throws(StoreError) {
        let model = store.model
        for relationship in model.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            let owner = model[relationship.declaringEntity]
            let sources = rows.filter { model[$0.entityID].isKind(of: owner) }
                .map { $0.objectID(in: model, store: store.handle) }
            if sources.isEmpty { continue }
            if relationship.isOrdered {
                let lists = try snapshot.orderedDestinations(of: relationship.id, from: sources)
                for (source, list) in zip(sources, lists) {
                    for member in list {
                        body(relationship, .init(from: source, to: member.id, order: member.order))
                    }
                }
            } else {
                let lists = try snapshot.destinations(of: relationship.id, from: sources)
                for (source, list) in zip(sources, lists) {
                    for id in list { body(relationship, .init(from: source, to: id)) }
                }
            }
        }
    }
}
