import DuramenModel
import DuramenStore

/// The unique values that a change set gives up and takes.
///
/// A table of claims has the digest of each object's values, so that a constraint holds for
/// sub-entities, values of any length, and exchanges of values within one save.
struct Claims {
    private let core: StoreCore
    private var releasedNumbers = ArrayBuilder(.integer)
    private var releasedKeys: [Int64] = []
    private var numbers = ArrayBuilder(.integer)
    private var digests = ArrayBuilder(.bytea)
    private var keys: [Int64] = []
    private var entities = ArrayBuilder(.integer)

    init(_ core: StoreCore) { self.core = core }

    /// Gives up the values of deleted rows, and of rows with other values.
    mutating func release(_ changes: ChangeSet) {
        for deletion in changes.deletes {
            guard let entity = core.model.entity(of: deletion.id) else { continue }
            for (_, number) in core.writePlans[entity.id.index].constraints {
                releasedNumbers.append(integer: number)
                releasedKeys.append(deletion.id.key)
            }
        }
        for update in changes.updates {
            for (constraint, number) in core.writePlans[update.row.entityID.index].constraints
            where constraint.slots.contains(where: update.changedSlots.contains) {
                releasedNumbers.append(integer: number)
                releasedKeys.append(update.row.key)
            }
        }
    }

    /// Takes the values of new rows, and of rows with other values.
    mutating func claim(_ changes: ChangeSet) {
        for row in changes.inserts {
            let plan = core.writePlans[row.entityID.index]
            for (constraint, number) in plan.constraints { claim(row, constraint, number) }
        }
        for update in changes.updates {
            for (constraint, number) in core.writePlans[update.row.entityID.index].constraints
            where constraint.slots.contains(where: update.changedSlots.contains) {
                claim(update.row, constraint, number)
            }
        }
    }

    private mutating func claim(_ row: Row, _ constraint: UniquenessConstraint, _ number: Int32) {
        let entity = core.model[row.entityID]
        guard let digest = Self.digest(of: row, constraint, entity.layout) else { return }
        numbers.append(integer: number)
        digest.withUnsafeBytes { digests.append(bytes: $0) }
        keys.append(row.key)
        entities.append(integer: core.writePlans[row.entityID.index].number)
    }

    /// The digest of a row's values; nil when one of them is null.
    static func digest(
        of row: Row, _ constraint: UniquenessConstraint, _ layout: RowLayout
    ) -> [UInt8]? {
        UniqueKey(row, constraint, layout: layout)?.digest
    }

    func addReleases(to pipeline: inout ChangePipeline) {
        if releasedKeys.isEmpty { return }
        pipeline.add(
            core.statements.claims.delete, [releasedNumbers.finish(), .bigints(releasedKeys)],
            as: .other)
    }

    func addClaims(to pipeline: inout ChangePipeline) {
        if keys.isEmpty { return }
        pipeline.add(
            core.statements.claims.insert,
            [numbers.finish(), digests.finish(), .bigints(keys), entities.finish()], as: .claim)
    }
}

/// Values of a constraint, by their digest.
struct Claim: Hashable {
    let number: Int32
    let digest: [UInt8]
}

extension RowReading {
    /// Finds the objects that have unique values.
    func holders(of claims: Set<Claim>) throws(StoreError) -> [(claim: Claim, id: ManagedObjectID)]
    {
        if claims.isEmpty { return [] }
        var numbers = ArrayBuilder(.integer)
        var digests = ArrayBuilder(.bytea)
        for claim in claims {
            numbers.append(integer: claim.number)
            claim.digest.withUnsafeBytes { digests.append(bytes: $0) }
        }
        let found = try run(core.statements.claims.find, [numbers.finish(), digests.finish()])
        return (0..<found.rowCount).compactMap { row in
            guard let id = core.id(found, row, key: 0, entity: 1), let number = found.int32(row, 2)
            else { return nil }
            return (Claim(number: number, digest: Array(found.bytes(row, 3))), id)
        }
    }
}
