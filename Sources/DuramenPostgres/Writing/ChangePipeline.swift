import DuramenModel
import DuramenStore

/// The statements that write a change set, sent together.
///
/// A statement that does not find what it expects divides by zero, which ends the transaction. Its
/// role tells what that means.
struct ChangePipeline {
    /// The meaning of a failed statement.
    enum Role {
        /// Begins or ends the transaction, or waits for others.
        case control
        /// Another form of the tables, or a history that began.
        case state
        /// Another version of a row.
        case version
        /// A key that a row has already.
        case key
        /// A unique value that another row has.
        case claim
        /// The identifier of a save that was given up.
        case number
        /// Anything else.
        case other
    }

    private let core: StoreCore
    /// The version of the rows that are written.
    var stamp: Int64
    private(set) var pipeline = Pipeline()
    private(set) var roles: [Role] = []
    private var rowCount = 0
    private var byteCount = 0

    private static let mostRows = 2_000
    private static let mostBytes = 8 << 20

    /// Whether writing takes so long that it should not be a part of the wait for a commit.
    var isLarge: Bool { rowCount > Self.mostRows || byteCount > Self.mostBytes }

    init(_ core: StoreCore, stamp: Int64) {
        self.core = core
        self.stamp = stamp
    }

    /// Adds a statement.
    mutating func add(_ statement: Statement, _ parameters: [Parameter] = [], as role: Role) {
        pipeline.add(statement, parameters)
        roles.append(role)
        for parameter in parameters { byteCount += parameter.bytes?.count ?? 0 }
    }

    /// Adds the statements of another pipeline.
    mutating func append(_ other: ChangePipeline) {
        for item in other.pipeline.items { pipeline.add(item.statement, item.parameters) }
        roles += other.roles
        rowCount += other.rowCount
        byteCount += other.byteCount
    }

    /// Lets the server go on here when a statement before has failed.
    mutating func addSync() { pipeline.addSync() }

    /// The meaning of a failure.
    func role(of failure: PostgresFailure) -> Role {
        roles.indices.contains(failure.statement) ? roles[failure.statement] : .other
    }

    // MARK: - A change set

    /// Adds the statements for rows, pairs, unique values and metadata.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - insertsRows: Whether the new rows are written, too.
    mutating func write(
        _ changes: ChangeSet, insertsRows: Bool = true
    ) throws(StoreError) {
        rowCount += changes.inserts.count + changes.updates.count + changes.deletes.count
        let deletes = deletions(of: changes)
        lockRows(changes, deletes)
        try addChecks(changes)
        var claims = Claims(core)
        claims.release(changes)
        claims.addReleases(to: &self)
        for (table, rows) in deletes.sorted(by: { $0.key < $1.key }) {
            add(core.statements.tables[table].delete, rows.parameters, as: .version)
        }
        try update(changes.updates)
        if insertsRows { try insert(changes.inserts) }
        addPairs(changes)
        claims.claim(changes)
        claims.addClaims(to: &self)
        try MetadataWriting(core).add(changes.metadata, to: &self)
    }

    /// Rows with their expected versions and entities, of one table.
    private struct ExpectedRows {
        var keys: [Int64] = []
        var versions = ArrayBuilder(.bigint)
        var entities = ArrayBuilder(.integer)

        mutating func add(_ key: Int64, _ version: RowVersion, _ entity: Int32) {
            keys.append(key)
            versions.append(bigint: version.rawValue)
            entities.append(integer: entity)
        }

        var parameters: [Parameter] {
            [
                .bigint(Int64(keys.count)), .bigints(keys), versions.finish(), entities.finish(),
            ]
        }
    }

    private func deletions(of changes: ChangeSet) -> [Int: ExpectedRows] {
        var rows: [Int: ExpectedRows] = [:]
        for deletion in changes.deletes {
            guard let entity = core.model.entity(of: deletion.id) else { continue }
            let map = core.schema.entities[entity.id.index]
            rows[map.table, default: ExpectedRows()].add(
                deletion.id.key, deletion.baseVersion, map.number)
        }
        return rows
    }

    private mutating func lockRows(_ changes: ChangeSet, _ deletes: [Int: ExpectedRows]) {
        if changes.updates.isEmpty, deletes.isEmpty { return }
        var keys = deletes.mapValues(\.keys)
        for update in changes.updates {
            keys[core.writePlans[update.row.entityID.index].table, default: []].append(
                update.row.key)
        }
        let count = keys.values.reduce(0) { $0 + $1.count }
        // One row cannot be locked in two orders.
        if count == 1 { return }
        for (table, keys) in keys.sorted(by: { $0.key < $1.key }) {
            add(core.statements.tables[table].lock, [.bigints(keys.sorted())], as: .other)
        }
    }

    private mutating func addChecks(_ changes: ChangeSet) throws(StoreError) {
        if changes.checks.isEmpty { return }
        var rows: [Int: ExpectedRows] = [:]
        var seen: Set<RowCheck> = []
        for check in changes.checks where seen.insert(check).inserted {
            guard let entity = core.model.entity(of: check.id) else { continue }
            let map = core.schema.entities[entity.id.index]
            rows[map.table, default: ExpectedRows()].add(
                check.id.key, check.baseVersion, map.number)
        }
        for (table, rows) in rows.sorted(by: { $0.key < $1.key }) {
            add(core.statements.tables[table].check, rows.parameters, as: .version)
        }
    }

    // MARK: - Rows

    private mutating func update(_ updates: [RowUpdate]) throws(StoreError) {
        if updates.isEmpty { return }
        struct Group: Hashable {
            let entity: EntityID
            let slots: SlotSet
        }
        var groups: [Group: [Int]] = [:]
        var order: [Group] = []
        for (place, update) in updates.enumerated() {
            let group = Group(entity: update.row.entityID, slots: update.changedSlots)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(place)
        }
        for group in order {
            let plan = core.writePlans[group.entity.index]
            let steps = plan.steps.filter { group.slots.contains($0.slot) }
            let statement = plan.update(group.slots)
            var arrays = ColumnArrays(steps, core)
            var keys = ArrayBuilder(.bigint)
            var versions = ArrayBuilder(.bigint)
            let places = groups[group] ?? []
            for (index, place) in places.enumerated() {
                let update = updates[place]
                keys.append(bigint: update.row.key)
                versions.append(bigint: update.baseVersion.rawValue)
                try arrays.add(update.row)
                guard arrays.isFull || index == places.count - 1 else { continue }
                let count = Int64(arrays.rowCount)
                add(
                    statement,
                    [
                        .integer(plan.number), .bigint(stamp), .bigint(count), keys.finish(),
                        versions.finish(),
                    ] + arrays.finish(), as: .version)
                keys = ArrayBuilder(.bigint)
                versions = ArrayBuilder(.bigint)
            }
        }
    }

    private mutating func insert(_ rows: RowList) throws(StoreError) {
        if rows.isEmpty { return }
        var places: [Int: [Int]] = [:]
        var order: [Int] = []
        for place in rows.indices {
            let entity = rows.entityIndex(at: place)
            if places[entity] == nil { order.append(entity) }
            places[entity, default: []].append(place)
        }
        for entity in order {
            let plan = core.writePlans[entity]
            var arrays = ColumnArrays(plan.steps, core)
            var keys: [Int64] = []
            let places = places[entity] ?? []
            for (index, place) in places.enumerated() {
                keys.append(rows.key(at: place))
                try arrays.add(rows[place])
                guard arrays.isFull || index == places.count - 1 else { continue }
                add(
                    plan.insert,
                    [.integer(plan.number), .bigint(stamp), .bigints(keys)] + arrays.finish(),
                    as: .key)
                keys = []
            }
        }
    }

    /// Adds statements that set some slots of rows without checking their versions: a batch has the
    /// store to itself.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows.
    ///   - values: Rows with the values, in the order of the keys.
    ///   - slots: The slots to set.
    mutating func overwrite(
        _ keys: [Int64], with values: RowList, _ slots: SlotSet, _ plan: WritePlan
    ) throws(StoreError) {
        rowCount += keys.count
        var arrays = ColumnArrays(plan.steps.filter { slots.contains($0.slot) }, core)
        var first = 0
        for (index, row) in values.enumerated() {
            try arrays.add(row)
            guard arrays.isFull || index == keys.count - 1 else { continue }
            add(
                plan.overwriting(slots),
                [.bigint(stamp), .bigints(Array(keys[first...index]))] + arrays.finish(),
                as: .other)
            first = index + 1
        }
    }

    // MARK: - Pairs

    private mutating func addPairs(_ changes: ChangeSet) {
        for (side, change) in PairChanges(changes, core).sides.sorted(by: { $0.key < $1.key }) {
            guard let statements = core.statements.pairs[side] else { continue }
            if !change.removed.isEmpty {
                add(statements.delete, change.removedParameters, as: .other)
            }
            if !change.added.isEmpty {
                add(
                    statements.insert, change.addedParameters(core.schema.pairs(of: side)),
                    as: .other)
            }
        }
        // Pairs of deleted objects go last: a pair that was added to one goes with it.
        var deleted: [EntityID: [Int64]] = [:]
        for deletion in changes.deletes {
            guard let entity = core.model.entity(of: deletion.id) else { continue }
            deleted[entity.id, default: []].append(deletion.id.key)
        }
        for (entity, keys) in deleted.sorted(by: { $0.key < $1.key }) {
            for statement in core.writePlans[entity.index].pairDeletions {
                add(statement, [.bigints(keys)], as: .other)
            }
        }
    }
}
