public import DuramenModel

/// A change set with the resulting values of derived attributes.
public struct CompletedChanges: Sendable {
    /// The changes to write: the caller's rows in their order, then updates of objects of which
    /// only derived attributes change.
    public let changes: ChangeSet
    private let updateCount: Int
    /// The indexes of rows with new derived values among the inserts, and among the updates.
    private let derivedInserts: [Int]
    private let derivedUpdates: [Int]
    /// The stored rows by the index of their update.
    private let bases: [Int: Row]

    /// Creates completed changes that equal the change set.
    public init(_ changes: ChangeSet) {
        self.init(
            changes, updateCount: changes.updates.count, derivedInserts: [], derivedUpdates: [],
            bases: [:])
    }

    init(
        _ changes: ChangeSet, updateCount: Int, derivedInserts: [Int], derivedUpdates: [Int],
        bases: [Int: Row]
    ) {
        self.changes = changes
        self.updateCount = updateCount
        self.derivedInserts = derivedInserts
        self.derivedUpdates = derivedUpdates
        self.bases = bases
    }

    /// Returns the receipt of the save for the caller.
    ///
    /// - Parameters:
    ///   - generation: The state that the save created.
    ///   - insertedVersion: The version of all new rows.
    ///   - model: The store's model.
    ///   - updatedVersion: Returns the version of an updated row.
    public func receipt(
        _ generation: StoreGeneration, insertedVersion: RowVersion, in model: ManagedObjectModel,
        updatedVersion: (RowUpdate) -> RowVersion
    ) -> SaveReceipt {
        let updates = changes.updates
        var receipt = SaveReceipt(
            generation: generation,
            insertedVersions: Array(repeating: insertedVersion, count: changes.inserts.count),
            updatedVersions: updates.prefix(updateCount).map(updatedVersion))
        if derivedInserts.isEmpty, derivedUpdates.isEmpty { return receipt }
        var builder = RowBatchBuilder(capacity: 1_024)
        for place in derivedInserts {
            let row = changes.inserts[place]
            builder.append(row, layout: model[row.entityID].layout, version: insertedVersion)
        }
        for place in derivedUpdates {
            let row = updates[place].row
            builder.append(
                row, layout: model[row.entityID].layout, version: updatedVersion(updates[place]))
        }
        let bases = derivedInserts.map { _ -> Row? in nil } + derivedUpdates.map { self.bases[$0] }
        receipt.derivedRows = zip(builder.finish(), bases).map { DerivedRow(row: $0, base: $1) }
        return receipt
    }
}
