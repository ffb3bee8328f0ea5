import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let versionSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.versions, ReportsWrongVersions.self),
        SaboteurEntry(.versions, ReportsTooFewVersions.self),
        SaboteurEntry(.versions, NeverChangesVersions.self),
        SaboteurEntry(.versions, BeginsAgainWithEachLife.self),
        SaboteurEntry(.versions, ChangesAllVersions.self),
        SaboteurEntry(.versions, ForgetsVersionsWhenClosed.self),
    ]
}

final class ReportsWrongVersions: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        guard case .saved(var receipt) = try base.save(changes) else {
            return try base.save(changes)
        }
        receipt.updatedVersions = changes.updates.map(\.baseVersion)
        return .saved(receipt)
    }
}

final class ReportsTooFewVersions: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        guard case .saved(var receipt) = try base.save(changes) else {
            return try base.save(changes)
        }
        receipt.updatedVersions = Array(receipt.updatedVersions.prefix(1))
        return .saved(receipt)
    }
}

/// Shows other versions than the store below has.
class VersionSaboteur: Saboteur, @unchecked Sendable {
    /// The version to show for a row of a state.
    func shown(_ row: Row, in snapshot: any StoreSnapshot) -> RowVersion { row.version }

    /// Notes what a save writes, before it is written.
    func note(_ changes: ChangeSet, _ generation: Int64) {}

    final func versioned(_ rows: some Sequence<Row>, _ snapshot: any StoreSnapshot) -> RowBatch {
        var builder = RowBatchBuilder(capacity: 256)
        for row in rows {
            builder.append(
                row, layout: model[row.entityID].layout, version: shown(row, in: snapshot))
        }
        return builder.finish()
    }

    override var hooks: SnapshotHooks {
        SnapshotHooks(
            rows: { [self] (base, ids) throws(StoreError) in
                versioned(try base.rows(for: ids), base)
            },
            cursor: { [self] (base, query) throws(StoreError) in
                ListCursor(Array(versioned(try base.cursor(query).remaining(), base)), model)
            })
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        let snapshot = try base.snapshot()
        for index in changes.updates.indices {
            let id = changes.updates[index].row.objectID(in: model, store: handle)
            changes.updates[index].baseVersion = try real(
                changes.updates[index].baseVersion, id, snapshot)
        }
        for index in changes.deletes.indices {
            changes.deletes[index].baseVersion = try real(
                changes.deletes[index].baseVersion, changes.deletes[index].id, snapshot)
        }
        note(changes, snapshot.generation.rawValue + 1)
        guard case .saved(var receipt) = try base.save(changes) else {
            return try base.save(changes)
        }
        let after = try base.snapshot()
        let store = handle
        let model = model
        receipt.insertedVersions = try versions(
            changes.inserts.map { $0.objectID(in: model, store: store) }, after)
        receipt.updatedVersions = try versions(
            changes.updates.map { $0.row.objectID(in: model, store: store) }, after)
        return .saved(receipt)
    }

    private func versions(
        _ ids: [ManagedObjectID], _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [RowVersion] {
        versioned(try snapshot.rows(for: ids), snapshot).map(\.version)
    }

    private func real(
        _ version: RowVersion, _ id: ManagedObjectID, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> RowVersion {
        guard let row = try snapshot.rows(for: [id]).first else { return version }
        return shown(row, in: snapshot) == version ? row.version : .unsaved
    }
}

final class NeverChangesVersions: VersionSaboteur, @unchecked Sendable {
    override func shown(_ row: Row, in snapshot: any StoreSnapshot) -> RowVersion {
        RowVersion(rawValue: 1)
    }
}

final class BeginsAgainWithEachLife: VersionSaboteur, @unchecked Sendable {
    // The generation in which the object was last inserted.
    private let births = Guarded<[ManagedObjectID: Int64]>([:])

    override func note(_ changes: ChangeSet, _ generation: Int64) {
        births.change { births in
            for row in changes.inserts {
                births[row.objectID(in: model, store: handle)] = generation
            }
        }
    }

    override func shown(_ row: Row, in snapshot: any StoreSnapshot) -> RowVersion {
        let birth = births.value[row.objectID(in: model, store: handle)] ?? 0
        return RowVersion(rawValue: row.version.rawValue - birth + 1)
    }
}

final class ChangesAllVersions: VersionSaboteur, @unchecked Sendable {
    override func shown(_ row: Row, in snapshot: any StoreSnapshot) -> RowVersion {
        RowVersion(rawValue: snapshot.generation.rawValue + 1)
    }
}

final class ForgetsVersionsWhenClosed: VersionSaboteur, @unchecked Sendable {
    private let offset = Guarded<Int64?>(nil)

    required init(_ model: ManagedObjectModel, _ location: String) throws(StoreError) {
        try super.init(model, location)
        let generation = try base.snapshot().generation.rawValue
        offset.change { $0 = generation }
    }

    override func shown(_ row: Row, in snapshot: any StoreSnapshot) -> RowVersion {
        RowVersion(rawValue: max(1, row.version.rawValue - (offset.value ?? 0) + 1))
    }
}
