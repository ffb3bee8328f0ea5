import DuramenModel
import DuramenStore

/// Law 11: rows that meet others with their unique values leave what a plain rule says.
enum UpsertCases {
    static var all: [ConformanceCase] {
        [
            claim("Upserts meet stored rows and each other") { try $0.runUpserts() },
            claim("A batch meets stored rows and its own") { try $0.runBatch() },
        ]
    }

    private static func claim(
        _ name: String, _ body: @escaping @Sendable (inout UpsertRun) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.batches, name, requires: .batches) { driver in
            for seed in 1...3 {
                var run = try UpsertRun(driver, seed: UInt64(seed), largest: 600 * seed)
                try body(&run)
            }
        }
    }
}

/// Random rows over random stored ones, in one batch.
package struct UpsertRun {
    /// A row to write, and the names of the properties that it gives.
    private struct NewRow {
        let key: Int64
        let values: PropertyValues
        let given: [String]
    }

    private let driver: StoreDriver
    private var random: SplitMix64
    private let entity: Entity
    private let largest: Int
    /// The number of values that a unique property can have.
    private let range: Int64
    /// The values that the objects should have.
    private var expected: [ManagedObjectID: PropertyValues] = [:]
    /// The objects with unique values.
    private var holders: [[StoredValue]: ManagedObjectID] = [:]
    /// The names of the properties that were set in objects by other rows than their first.
    private var changed: [ManagedObjectID: Set<String>] = [:]

    private static let unique = ["position.grid.zone", "position.grid.square"]
    private static let others = ["number", "position_latitude", "position.height", "origin.name"]

    /// - Parameters:
    ///   - driver: Drives a store of the conformance model.
    ///   - seed: The seed of the random values.
    ///   - largest: The largest number of rows that are written at once.
    package init(_ driver: StoreDriver, seed: UInt64, largest: Int) throws {
        self.driver = driver
        self.largest = largest
        random = SplitMix64(seed: seed)
        range = Bool.random(using: &random) ? 4 : 60
        entity = driver.entity("Site")
        try storeSome()
    }

    /// Writes by calls of `upsert`, if the store has it.
    package mutating func runUpserts() throws {
        let before = try driver.contents()
        let history = try beginHistory()
        let start = try driver.store.snapshot().generation.rawValue
        var isSupported = false
        _ = try driver.batch { batch in
            for _ in 0..<3 {
                if Bool.random(using: &random) {
                    let id = try batch.insert("Site", ["number": .integer(-1)])
                    expected[id] = ["number": .integer(-1)]
                }
                isSupported = try upsert(batch.transaction) || isSupported
            }
        }
        try check(before)
        if isSupported { try check(history, after: start, before) }
    }

    /// Writes by a ``BatchInsertion``, and compares its result, too.
    package mutating func runBatch() throws {
        let before = try driver.contents()
        let history = try beginHistory()
        let start = try driver.store.snapshot().generation.rawValue
        let count = Int.random(in: 1..<largest, using: &random)
        let policies: [BatchInsertion.Repetition] = [.skipped, .updatesGiven, .replacesAll]
        let policy = policies.randomElement(using: &random) ?? .skipped
        var next = (0..<count).map { _ in row() }.makeIterator()
        var rows: [NewRow] = []
        let outcome = try BatchInsertion(of: entity.id, repetition: policy, BatchSettings()) {
            [entity, driver] key, _ in
            guard let (values, given) = next.next() else { return nil }
            rows.append(
                NewRow(
                    key: key, values: values,
                    given: policy == .replacesAll ? Self.unique + Self.others : given))
            return BatchInsertion.NewRow(
                RowCoding.row(values, of: entity, key: key, in: driver.model),
                givenSlots: RowCoding.slots(of: given, in: entity))
        }.run(on: driver.store)
        var counted = 0
        for first in stride(from: 0, to: count, by: BatchSettings.rowsPerPart) {
            let own = rows[..<first].map(\.key)
            let part = Array(rows[first..<min(count, first + BatchSettings.rowsPerPart)])
            counted += Set(apply(part, isSkipping: policy == .skipped)).subtracting(own).count
        }
        try checkEqual(outcome.count, counted, "the number of objects")
        try check(before)
        try check(history, after: start, before)
    }

    private mutating func beginHistory() throws -> (any HistoryTrackingStore)? {
        guard driver.store.capabilities.contains(.history), Bool.random(using: &random) else {
            return nil
        }
        let history = try driver.store.historyTracking()
        try history.beginHistory()
        return history
    }

    private mutating func storeSome() throws {
        expected = try driver.contents().records.mapValues(\.values)
        for (id, values) in expected { Self.key(values).map { holders[$0] = id } }
        var draft = driver.draft()
        for _ in 0..<Int.random(in: 1..<largest / 4, using: &random) {
            let (values, _) = row()
            let key = Self.key(values)
            if let key, holders[key] != nil { continue }
            let id = try draft.insert("Site", values)
            expected[id] = values
            if let key { holders[key] = id }
        }
        try driver.commit(draft)
    }

    /// Random values, some of them null, and the names of those that were given.
    private mutating func row() -> (values: PropertyValues, given: [String]) {
        var values: PropertyValues = [:]
        let others = Self.others.filter { _ in Bool.random(using: &random) }
        for name in Self.unique + others where Int.random(in: 0..<6, using: &random) > 0 {
            let number = Int64.random(in: 0..<range, using: &random)
            values[name] =
                switch name {
                case "position.grid.zone", "number": .integer(number)
                case "position.height": .double(Double(number) / 4)
                default: .text(StoredText("text \(number)"))
                }
        }
        return (values, Self.unique + others)
    }

    /// Upserts some rows, and returns whether the store did.
    private mutating func upsert(_ transaction: any BatchTransaction) throws -> Bool {
        let count = Int.random(in: 1..<largest, using: &random)
        let first = try transaction.allocateKeys(count, for: entity.id).lowerBound
        let rows = (0..<count).map { place in
            let (values, given) = row()
            return NewRow(key: first + Int64(place), values: values, given: given)
        }
        let isSkipping = Int.random(in: 0..<3, using: &random) == 0
        let keys = try transaction.upsert(
            RowList(
                rows.map {
                    RowCoding.row($0.values, of: entity, key: $0.key, in: driver.model)
                }),
            taking: isSkipping ? nil : rows.map { RowCoding.slots(of: $0.given, in: entity) })
        guard let keys else { return false }
        try checkEqual(keys, apply(rows, isSkipping: isSkipping), "the keys of the written rows")
        return true
    }

    /// Applies the rule, and returns the keys of the written rows.
    private mutating func apply(_ rows: [NewRow], isSkipping: Bool) -> [Int64] {
        var written: [Int64] = []
        for row in rows {
            let unique = Self.key(row.values)
            if let id = unique.flatMap({ holders[$0] }) {
                if isSkipping { continue }
                written.append(id.key)
                for name in row.given { expected[id]?[name] = row.values[name] }
                changed[id, default: []].formUnion(row.given)
            } else {
                let id = ManagedObjectID(
                    store: driver.store.handle, entity: entity.handle, key: row.key)
                written.append(row.key)
                expected[id] = row.values
                if let unique { holders[unique] = id }
            }
        }
        return written
    }

    /// The unique values; nil when one of them is null.
    private static func key(_ values: PropertyValues) -> [StoredValue]? {
        let key = unique.compactMap { values[$0] }
        return key.count == unique.count ? key : nil
    }

    // MARK: - Comparing

    private func check(_ before: StoreContents) throws {
        let after = try driver.contents()
        try checkEqual(after.records.mapValues(\.values), expected, "the values")
        for (id, record) in after.records {
            let old = before.records[id]?.version
            try checkEqual(record.version == old, old != nil && changed[id] == nil, "a version")
        }
        // Each unique value belongs to its object.
        for (unique, id) in holders.prefix(20) {
            let values = Dictionary(uniqueKeysWithValues: zip(Self.unique, unique))
            let conflicts = try driver.conflicts { _ = try $0.insert("Site", values) }
            guard case .uniqueness(let conflict)? = conflicts.first, conflict.otherID == id else {
                throw Difference("the values of Site \(id.key) are not taken by it")
            }
        }
    }

    private func check(
        _ history: (any HistoryTrackingStore)?, after start: Int64, _ before: StoreContents
    ) throws {
        let changes = try history?.history(HistoryRequest(after: start)).first?.changes
        guard let changes else { return }
        // An object that several parts of a batch change has a change for each.
        var told: Set<ManagedObjectID> = []
        for change in changes {
            let id = change.changedObjectID
            if change.changeType == .insert {
                try checkEqual(before.records[id] == nil, true, "whether an insertion is one")
            } else if change.updatedProperties?.contains("position_latitude") == true {
                told.insert(id)
            }
        }
        let set = changed.filter { id, names in
            before.records[id] != nil && names.contains("position_latitude")
        }
        try checkEqual(
            told.filter { before.records[$0] != nil }, Set(set.keys), "where a property was set")
        let written = Set(
            expected.keys.filter { before.records[$0] == nil || changed[$0] != nil })
        try checkEqual(Set(changes.map(\.changedObjectID)), written, "the objects in the history")
    }
}
