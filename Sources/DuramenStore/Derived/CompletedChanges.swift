public import DuramenModel

/// A change set with the values of derived attributes that follow from it.
public struct CompletedChanges: Sendable {
    /// The change set to write. It has the caller's rows in their order. Its updates end with the
    /// objects in which only derived attributes change.
    public let changes: ChangeSet
    private let updateCount: Int
    /// The places of rows with new derived values among the inserts, and among the updates.
    private let derivedInserts: [Int]
    private let derivedUpdates: [Int]
    /// By place among the updates: what was stored.
    private let bases: [Int: Row]

    /// A change set that is as it was.
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

    /// Returns the receipt that the caller gets for the save.
    ///
    /// - Parameters:
    ///   - generation: The state that the save made.
    ///   - insertedVersion: The version of all new rows.
    ///   - updatedVersion: The version of an updated row, given what it is based on.
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
