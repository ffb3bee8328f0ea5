package import DuramenModel
package import DuramenQuery

/// Fills a new store with the objects of another one, under their keys.
package struct StoreFilling {
    private let destination: any PersistentStore
    private let cancellation: CancellationFlag?
    private let keepsDerivedValues: Bool

    /// - Throws: `.invalidRequest` when the store has objects.
    package init(
        _ destination: any PersistentStore, cancellation: CancellationFlag? = nil,
        keepsDerivedValues: Bool = true
    ) throws(StoreError) {
        self.destination = destination
        self.cancellation = cancellation
        self.keepsDerivedValues = keepsDerivedValues
        let empty = try StoreChecksums(reading: try destination.snapshot(), of: destination)
        if let known = empty.entities.first(where: { $0.rowCount > 0 }) {
            throw StoreError(
                .invalidRequest,
                "The store to copy into has objects of '\(known.name)' already; copy into a new one."
            )
        }
    }

    /// Writes some objects, without their many-to-many pairs.
    package func insert(_ rows: RowBatch) throws(StoreError) {
        try save(ChangeSet(inserts: RowList(rows)))
    }

    /// Writes pairs. All objects must be there, so that both have their order numbers.
    package func insert(_ pairs: [RelationshipID: EdgeChange]) throws(StoreError) {
        // One after the other, because a pair that both sides number is in two of the changes.
        for id in pairs.keys.sorted() {
            if let change = pairs[id] { try save(ChangeSet(edges: [change])) }
        }
    }

    /// Writes the application's entries of the metadata.
    package func insert(_ userInfo: [String: StoredValue]) throws(StoreError) {
        if !userInfo.isEmpty { try save(ChangeSet(metadata: userInfo)) }
    }

    /// Writes changes.
    ///
    /// - Throws: `.invalidRequest` for a conflict.
    package func save(_ changes: ChangeSet) throws(StoreError) {
        if let conflict = try conflict(saving: changes) {
            throw StoreError(.invalidRequest, conflict)
        }
    }

    /// Writes changes, unless there is a conflict.
    ///
    /// - Returns: The first conflict, as sentences.
    package func conflict(saving changes: ChangeSet) throws(StoreError) -> String? {
        var changes = changes
        changes.cancellation = cancellation
        changes.keepsDerivedValues = keepsDerivedValues
        guard case .conflicted(let conflicts) = try destination.save(changes) else { return nil }
        for case .uniqueness(let conflict) in conflicts {
            let names = conflict.constraint.properties.joined(separator: ", ")
            return
                "\(conflict.id) and \(conflict.otherID) have the same \(names), which the model calls unique; "
                + "change one of them first."
        }
        return
            "Somebody else writes to the store that is copied into; copy into one that nobody uses."
    }
}
