import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Migrates a store from one version of a model to another, within the current transaction.
///
/// Rows stay as they were written, and ``RowUpgrades`` upgrades them when they are read. Only rows
/// of another hierarchy move to another table.
struct SchemaMigration {
    let writer: StoreWriter
    let transaction: Transaction
    let work: MigrationWork

    private var change: SchemaChange { work.change }
    private var old: StoreSchema { writer.schema }
    private var meta: MetaTable { MetaTable(transaction: transaction, table: old.tables.meta) }

    func run() throws(StoreError) {
        guard var identity = try meta.identity(), var catalog = try meta.catalog(),
            identity.modelChecksum == change.source.versionChecksum
        else { throw StoreError.storeMigrated(old.path) }
        try work.begin()
        try checkValues()
        let links = try MigrationLinks(change, path: old.path) {
            (relationship, note) throws(StoreError) in
            try LinkReading(schema: old, transaction: transaction).forEachLink(
                of: relationship, note)
        }
        let verification = try sample()
        let count = rowCount(of: old)
        try work.note(.rows)
        catalog.migrate(change)
        guard
            let tables = try StoreTables.open(
                transaction, roots: catalog.roots.values.sorted(), creates: true)
        else { throw StoreError.storeMigrated(old.path) }
        let new = try StoreSchema(
            model: change.target, handle: old.handle, path: old.path, values: old.values,
            catalog: catalog, tables: tables)
        let pairs = PairMigration(transaction: transaction, change: change, old: old, new: new)
        try pairs.enterReferences()
        let gone = try moveRows(to: new)
        try pairs.keep(without: gone)
        try verification.check(
            total: rowCount(of: new), expected: count - gone.values.reduce(0) { $0 + $1.count })
        try work.note(.indexes)
        let indexes = try IndexMigration(
            change: change, old: old, new: new, cancellation: work.cancellation
        ).migrate(transaction, schema: catalog.schemas.count - 1)
        try checkConstraints(new, indexes)
        try work.note(.indexes, 0.9)
        let number = try note(in: new, indexes, links)
        let reading = RowReading(schema: new, transaction: transaction, readsFiles: false)
        try verification.checkRows(links, in: new.handle) { (id) throws(StoreError) in
            try reading.row(of: id)
        }
        identity.format = MetaTable.formatVersion
        identity.modelChecksum = change.target.versionChecksum
        identity.entityVersionHashes = change.target.entityVersionHashes
        identity.modelVersionIdentifiers = change.target.versionIdentifiers
        try meta.set(identity)
        try meta.set(catalog)
        try meta.keep(change.target)
        try meta.add(
            StoreMigrationRecord(change, date: writer.clock.date(), save: number))
    }

    private func stopIfCancelled() throws(StoreError) {
        if work.cancellation.isCancelled { try work.note(.rows) }
    }

    // MARK: - Values

    private func checkValues() throws(StoreError) {
        var check = MigrationRowCheck(change, path: old.path)
        let rows = RowReading(schema: old, transaction: transaction, readsFiles: false)
        let roots = change.source.entities.filter { $0.superentity == nil && check.concerns($0) }
        var count = RowCount(
            work, .checks,
            of: roots.reduce(0) { $0 + transaction.count(old.places[$1.id.index].rows) })
        for root in roots {
            let cursor = try transaction.cursor(old.places[root.id.index].rows)
            var record = try cursor.first()
            while let found = record {
                if let row = try rows.row(found, in: root.id) { check.note(row) }
                try count.next()
                record = try cursor.next()
            }
        }
        try check.finish()
    }

    private func checkConstraints(
        _ new: StoreSchema, _ list: IndexList
    ) throws(StoreError) {
        for constraint in list.unenforcedConstraints(of: new) where change.isNew(constraint) {
            throw change.target.sharedValues(constraint, in: old.path)
        }
    }

    // MARK: - Verification

    private func rowCount(of schema: StoreSchema) -> Int {
        schema.model.entities.filter { $0.superentity == nil }
            .reduce(0) { $0 + transaction.count(schema.places[$1.id.index].rows) }
    }

    /// Reads sample rows from the whole range of keys of each table.
    private func sample() throws(StoreError) -> MigrationVerification {
        var verification = MigrationVerification(change, path: old.path)
        let rows = RowReading(schema: old, transaction: transaction, readsFiles: false)
        for root in change.source.entities where root.superentity == nil {
            let cursor = try transaction.cursor(old.places[root.id.index].rows)
            guard let last = try cursor.last() else { continue }
            var keys: Set<Int64> = []
            for place in MigrationVerification.places(upTo: try rows.key(of: last)) {
                guard let record = try cursor.seek(place),
                    keys.insert(try rows.key(of: record)).inserted,
                    let row = try rows.row(record, in: root.id),
                    verification.concerns(row.entityID)
                else { continue }
                verification.note(row)
            }
        }
        return verification
    }

    // MARK: - Rows

    /// Deletes rows of removed entities, and moves the others into the tables of their hierarchies.
    ///
    /// - Returns: The keys of the deleted rows, by old root.
    private func moveRows(to new: StoreSchema) throws(StoreError) -> [EntityID: Set<Int64>] {
        let rows = RowReading(schema: old, transaction: transaction, readsFiles: false)
        var gone: [EntityID: Set<Int64>] = [:]
        for root in change.source.entities where root.superentity == nil {
            let table = old.places[root.id.index].rows
            let targets = root.family.map { id -> Table? in
                change.targetEntity(id).map { new.places[$0.index].rows }
            }
            try moveKeys(root, new)
            if targets.allSatisfy({ $0 == table }) { continue }
            let byEntity = Dictionary(zip(root.family, targets), uniquingKeysWith: { a, _ in a })
            var moves: [(key: Int64, target: Table?)] = []
            var count = RowCount(work, .rows, of: transaction.count(table))
            let cursor = try transaction.cursor(table)
            var record = try cursor.first()
            while let found = record {
                let key = try rows.key(of: found)
                let head = try rows.head(found.value, key: key, root.id)
                if let entity = rows.entity(of: head) {
                    let target = byEntity[entity] ?? nil
                    if target != table { moves.append((key, target)) }
                    if target == nil { gone[root.id, default: []].insert(key) }
                }
                try count.next()
                record = try cursor.next()
            }
            for (key, target) in moves {
                try stopIfCancelled()
                if let target, let bytes = try transaction.value(of: key, in: table) {
                    let copy = Array(bytes)
                    let place = try transaction.cursor(target)
                    // Keys are unique within a hierarchy.
                    guard let memory = try place.reserve(copy.count, for: key) else {
                        throw old.damaged(root.name, key: key)
                    }
                    memory.copyBytes(from: copy)
                }
                try transaction.remove(key, from: table)
            }
        }
        return gone
    }

    /// Reports the progress of a phase row by row.
    private struct RowCount {
        private let work: MigrationWork
        private let phase: MigrationProgress.Phase
        private let total: Int
        private var done = 0

        /// Reading the clock for each row would cost more than the row.
        private static let step = 4_096

        init(_ work: MigrationWork, _ phase: MigrationProgress.Phase, of total: Int) {
            self.work = work
            self.phase = phase
            self.total = total
        }

        mutating func next() throws(StoreError) {
            done += 1
            if done % Self.step == 0 || done == total || work.cancellation.isCancelled {
                try work.note(phase, rows: done, of: total)
            }
        }
    }

    /// Lets new keys follow those of the table that the rows were in.
    private func moveKeys(_ root: Entity, _ new: StoreSchema) throws(StoreError) {
        let number = old.numbers.roots[root.id.index]
        let next = try meta.nextKey(root: number)
        for target in change.target.entities where target.superentity == nil {
            let other = new.numbers.roots[target.id.index]
            guard other != number,
                target.family.contains(where: { id in
                    change.sourceEntities[id.index].map { root.family.contains($0) } ?? false
                })
            else { continue }
            try meta.setNextKey(max(next, try meta.nextKey(root: other)), root: other)
        }
    }

    // MARK: - The save

    /// Records the migration as a save. It writes changed derived values, and the to-ones that were
    /// stored differently.
    private func note(
        in new: StoreSchema, _ list: IndexList, _ links: MigrationLinks
    ) throws(StoreError) -> Int64 {
        var heading = ChangeSet()
        heading.author = MigrationWork.historyAuthor
        let log = SaveLog(new, transaction)
        let number = try log.lastNumber() + 1
        let entry = try HistoryWriter(new, writer.clock).begin(
            heading, number: number, transaction)
        let numbers = StoreWriter.IndexNumbers(list, new)
        let reading = RowReading(schema: new, transaction: transaction)
        try links.forEachUpdate(in: new.handle) { (ids) throws(StoreError) in
            try stopIfCancelled()
            return try reading.batch(of: ids)
        } write: { (updates) throws(StoreError) in
            try write(updates, new, numbers, number)
        }
        try compute(in: new, numbers, number)
        try entry?.note(heading)
        try log.add(heading.identifier, number: number)
        return number
    }

    private func compute(
        in new: StoreSchema, _ numbers: StoreWriter.IndexNumbers, _ number: Int64
    ) throws(StoreError) {
        guard let derived = new.derived else { return }
        let reading = RowReading(schema: new, transaction: transaction)
        let source = StateBefore(reading, numbers.all)
        for rows in change.rows.compactMap(\.self) where rows.computesValues {
            let entity = change.target[rows.entity]
            var ids: [ManagedObjectID] = []
            let cursor = try transaction.cursor(new.places[entity.id.index].rows)
            var record = try cursor.first()
            while let found = record {
                let key = try reading.key(of: found)
                let head = try reading.head(found.value, key: key, entity.id)
                if reading.entity(of: head) == entity.id {
                    ids.append(
                        ManagedObjectID(store: new.handle, entity: entity.handle, key: key))
                }
                record = try cursor.next()
            }
            for start in stride(from: 0, to: ids.count, by: 256) {
                try stopIfCancelled()
                let part = Array(ids[start..<min(start + 256, ids.count)])
                try write(
                    try derived.recomputed(try reading.batch(of: part), from: source), new,
                    numbers, number)
            }
        }
    }

    private func write(
        _ updates: [RowUpdate], _ new: StoreSchema, _ numbers: StoreWriter.IndexNumbers,
        _ number: Int64
    ) throws(StoreError) {
        if updates.isEmpty { return }
        var part = ChangeSet(updates: updates)
        part.keepsDerivedValues = true
        let largeValues = try LargeValues(
            of: part, slots: new.externalSlots, largerThan: writer.largestInlineValueBytes,
            in: new.model)
        var changes = ChangeWriter(
            schema: new, transaction: transaction, numbers: numbers,
            version: RowVersion(rawValue: number), largeValues: largeValues)
        do throws(ChangeWriter.Stop) {
            try changes.write(part)
        } catch {
            if case .failure(let error) = error { throw error }
            throw StoreError.valuesWouldBeShared(old.path)
        }
    }
}
