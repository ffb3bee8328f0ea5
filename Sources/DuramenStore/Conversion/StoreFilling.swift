package import DuramenModel
package import DuramenQuery

/// Fills a new store with the objects of another one, under their keys.
///
/// Objects and pairs are collected and written some thousand at once, since each save waits for the
/// disk. ``finish()`` writes the rest.
package final class StoreFilling {
    private let destination: any PersistentStore
    private let cancellation: CancellationFlag?
    private let keepsDerivedValues: Bool
    private var rows = RowList()
    private var rowBytes = 0
    private var pairs: [RelationshipID: EdgeChange] = [:]
    private var pairCount = 0

    private static let mostTogether = 10_000
    private static let mostBytes = 4 << 20

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

    /// Adds objects, without their many-to-many pairs.
    package func insert(_ batch: RowBatch) throws(StoreError) {
        for row in batch { rows.append(row) }
        rowBytes += batch.storage.byteCount
        if rows.count >= Self.mostTogether || rowBytes >= Self.mostBytes { try finish() }
    }

    /// Adds pairs, after all objects, so that both have their order numbers.
    package func insert(_ added: [RelationshipID: EdgeChange]) throws(StoreError) {
        for (id, change) in added {
            pairs[id, default: EdgeChange(relationship: id)].added += change.added
            pairCount += change.added.count
        }
        if pairCount >= Self.mostTogether { try finish() }
    }

    /// Writes everything that was added, and the application's entries of the metadata.
    package func finish(_ userInfo: [String: StoredValue] = [:]) throws(StoreError) {
        if !rows.isEmpty {
            let changes = ChangeSet(inserts: rows)
            (rows, rowBytes) = (RowList(), 0)
            try save(changes)
        }
        // One after the other, because a pair that both sides number is in two of the changes.
        let edges = pairs.sorted { $0.key < $1.key }.map(\.value)
        (pairs, pairCount) = ([:], 0)
        for change in edges { try save(ChangeSet(edges: [change])) }
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
