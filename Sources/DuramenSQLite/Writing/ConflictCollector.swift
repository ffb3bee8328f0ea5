import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// Finds every reason why a change set cannot be saved, with the stored rows.
struct ConflictCollector {
    let changes: ChangeSet
    let source: RowSource

    private var schema: AppleSchema { source.core.schema }
    private var model: ManagedObjectModel { schema.model }

    func conflicts() throws(StoreError) -> [StoreConflict] {
        try versionConflicts() + uniquenessConflicts(onlyDecimals: false)
    }

    // MARK: - Versions

    private func versionConflicts() throws(StoreError) -> [StoreConflict] {
        var expected: [(id: ManagedObjectID, base: RowVersion)] = []
        for change in changes.updates {
            expected.append(
                (change.row.objectID(in: model, store: schema.store), change.baseVersion))
        }
        expected += changes.deletes.map { ($0.id, $0.baseVersion) }
        let stored = try RowRequest(ids: expected.map(\.id), core: source.core).rows(from: source)
        var rows: [ManagedObjectID: Row] = [:]
        for row in stored { rows[row.objectID(in: model, store: schema.store)] = row }
        return expected.compactMap { id, base in
            let row = rows[id]
            if let row, row.version == base { return nil }
            return .version(VersionConflict(id: id, baseVersion: base, storedRow: row))
        }
    }

    // MARK: - Uniqueness

    /// The rows of the final state that share unique values.
    ///
    /// - Parameter onlyDecimals: Look only at the constraints that the engine cannot judge, because two
    ///   decimals may have one nearest REAL.
    func uniquenessConflicts(onlyDecimals: Bool) throws(StoreError) -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        var touched: Set<ManagedObjectID> = Set(changes.deletes.map(\.id))
        for change in changes.updates {
            touched.insert(change.row.objectID(in: model, store: schema.store))
        }
        var seen: [UniqueKey: ManagedObjectID] = [:]
        let rows = changes.inserts + changes.updates.map(\.row)
        for row in rows {
            let entity = model[row.entityID]
            let id = row.objectID(in: model, store: schema.store)
            for constraint in entity.uniquenessConstraints {
                let kinds = constraint.slots.map { entity.layout.kinds[$0] }
                if onlyDecimals, !kinds.contains(.decimal) { continue }
                guard let key = UniqueKey(row, constraint, kinds) else { continue }
                if let other = seen[key] {
                    conflicts.append(
                        .uniqueness(
                            UniquenessConflict(
                                constraint: constraint, id: id, otherID: other, storedRow: nil)))
                } else {
                    seen[key] = id
                }
                for other in try storedRows(like: row, constraint, kinds) {
                    let otherID = other.objectID(in: model, store: schema.store)
                    if otherID == id || touched.contains(otherID) { continue }
                    conflicts.append(
                        .uniqueness(
                            UniquenessConflict(
                                constraint: constraint, id: id, otherID: otherID, storedRow: other))
                    )
                }
            }
        }
        return conflicts
    }

    private func storedRows(
        like row: Row, _ constraint: UniquenessConstraint, _ kinds: [SlotKind]
    ) throws(StoreError) -> [Row] {
        let declaring = model[constraint.entity]
        let plan = source.core.familyPlans[constraint.entity.index]
        let conditions = constraint.slots.map {
            "t0.\(schema.column(slot: $0, of: constraint.entity)) = ?"
        }
        let numbers = declaring.family.map { String(schema.number(of: $0)) }
        let key = StatementKey(
            purpose: .lookup, place: constraint.entity.index,
            clause: conditions.joined(separator: " AND "))
        let statement = try source.connection.take(key) { () throws(StoreError) in
            "SELECT \(plan.columns) FROM \(schema.table(of: constraint.entity)) AS t0 "
                + "WHERE \(key.clause) AND t0.Z_ENT IN (\(numbers.joined(separator: ", ")))"
        }
        defer { source.connection.giveBack(statement) }
        let binder = RowBinder(schema: schema)
        for (place, slot) in constraint.slots.enumerated() {
            binder.bind(
                row, BindStep(kind: kinds[place], slot: Int32(slot)), to: statement,
                at: Int32(place + 1))
        }
        source.connection.begin(statement)
        var builder = RowBatchBuilder(capacity: 512)
        _ = try source.copyRows(
            of: statement, with: try source.reader(for: plan), into: &builder, maximum: .max)
        let batch = builder.finish()
        return batch.filter { other in
            zip(constraint.slots, kinds).allSatisfy { row.hasSameValue($0, $1, as: other) }
        }
    }
}

/// The unique values of a row by their bytes; none when a part is null.
struct UniqueKey: Hashable {
    private let constraint: UniquenessConstraint
    private let bytes: [UInt8]

    init?(_ row: Row, _ constraint: UniquenessConstraint, _ kinds: [SlotKind]) {
        self.constraint = constraint
        var bytes: [UInt8] = []
        for (slot, kind) in zip(constraint.slots, kinds) {
            if row.isNull(slot) { return nil }
            if kind.isTail {
                let value = row.unsafeBytes(slot)
                withUnsafeBytes(of: value.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: value)
            } else {
                withUnsafeBytes(of: row.integer(slot)) { bytes.append(contentsOf: $0) }
            }
        }
        self.bytes = bytes
    }
}
