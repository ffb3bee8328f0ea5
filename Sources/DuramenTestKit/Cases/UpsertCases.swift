import DuramenModel
import DuramenStore

/// Law 11: upserts in an engine's own way leave what a plain rule says.
enum UpsertCases {
    static var all: [ConformanceCase] {
        [
            ConformanceCase(.batches, "Upserts meet stored rows and each other", requires: .batches)
            { driver in
                for seed in 1...3 {
                    var run = try UpsertRun(driver, seed: UInt64(seed))
                    try run.run()
                }
            }
        ]
    }
}

/// Random rows over random stored ones, in one batch.
package struct UpsertRun {
    private let driver: StoreDriver
    private var random: SplitMix64
    private let entity: Entity
    /// The values that the objects should have.
    private var expected: [ManagedObjectID: PropertyValues] = [:]
    /// The names of the properties that were set in objects that there were before.
    private var changed: [ManagedObjectID: Set<String>] = [:]

    private static let unique = ["position.grid.zone", "position.grid.square"]
    private static let others = ["number", "position_latitude", "position.height", "origin.name"]

    /// - Parameters:
    ///   - driver: Drives a store of the conformance model.
    ///   - seed: The seed of the random values.
    package init(_ driver: StoreDriver, seed: UInt64) throws {
        self.driver = driver
        random = SplitMix64(seed: seed)
        entity = driver.entity("Site")
        expected = try driver.contents().records.mapValues(\.values)
    }

    /// Writes and compares.
    package mutating func run() throws {
        try storeSome()
        let before = try driver.contents()
        let stored = expected
        let history =
            driver.store.capabilities.contains(.history) && Bool.random(using: &random)
            ? try driver.store.historyTracking() : nil
        try history?.beginHistory()
        let start = try driver.store.snapshot().generation.rawValue
        var isSupported = false
        _ = try driver.batch { batch in
            for _ in 0..<3 { isSupported = try write(batch.transaction) || isSupported }
        }
        let after = try driver.contents()
        guard isSupported else { return try checkSame(after, before, "what was not written") }
        try checkEqual(after.records.mapValues(\.values), expected, "the values")
        for (id, record) in after.records {
            let old = before.records[id]?.version
            try checkEqual(record.version == old, old != nil && changed[id] == nil, "a version")
        }
        try checkConstraint()
        let changes = try history?.history(HistoryRequest(after: start)).first?.changes
        if let changes { try checkHistory(changes, stored) }
    }

    private mutating func storeSome() throws {
        var draft = driver.draft()
        var taken = Set(expected.values.compactMap(Self.key))
        for _ in 0..<8 {
            let (values, _) = row()
            if let key = Self.key(values), !taken.insert(key).inserted { continue }
            expected[try draft.insert("Site", values)] = values
        }
        try driver.commit(draft)
    }

    /// Random values, some of them null, and the names of those that were given.
    private mutating func row() -> (values: PropertyValues, given: [String]) {
        var values: PropertyValues = [:]
        let others = Self.others.filter { _ in Bool.random(using: &random) }
        for name in Self.unique + others where Int.random(in: 0..<6, using: &random) > 0 {
            let number = Int64.random(in: 0..<4, using: &random)
            values[name] =
                switch name {
                case "position.grid.zone", "number": .integer(number)
                case "position.height": .double(Double(number) / 4)
                default: .text(StoredText("text \(number)"))
                }
        }
        return (values, Self.unique + others)
    }

    /// Upserts some rows, and applies the rule to what is expected.
    private mutating func write(_ transaction: any BatchTransaction) throws -> Bool {
        let count = Int.random(in: 1..<400, using: &random)
        let first = try transaction.allocateKeys(count, for: entity.id).lowerBound
        let rows = (0..<count).map { (key: first + Int64($0), row()) }
        let isSkipping = Int.random(in: 0..<3, using: &random) == 0
        let keys = try transaction.upsert(
            RowList(
                rows.map { key, row in
                    RowCoding.row(row.values, of: entity, key: key, in: driver.model)
                }),
            taking: isSkipping
                ? nil : rows.map { RowCoding.slots(of: $0.1.given, in: entity) })
        guard let keys else { return false }
        var written: [Int64] = []
        var holders: [[StoredValue]: ManagedObjectID] = [:]
        for (id, values) in expected { Self.key(values).map { holders[$0] = id } }
        for (key, (values, given)) in rows {
            let unique = Self.key(values)
            if let id = unique.flatMap({ holders[$0] }) {
                if isSkipping { continue }
                written.append(id.key)
                for name in given { expected[id]?[name] = values[name] }
                changed[id, default: []].formUnion(given)
            } else {
                let id = ManagedObjectID(
                    store: driver.store.handle, entity: entity.handle, key: key)
                written.append(key)
                expected[id] = values
                if let unique { holders[unique] = id }
            }
        }
        try checkEqual(keys, written, "the keys of the written rows")
        return true
    }

    /// The unique values; nil when one of them is null.
    private static func key(_ values: PropertyValues) -> [StoredValue]? {
        let key = unique.compactMap { values[$0] }
        return key.count == unique.count ? key : nil
    }

    /// Each value that an object has is taken, and no other.
    private func checkConstraint() throws {
        for (id, values) in expected where Self.key(values) != nil {
            let conflicts = try driver.conflicts { _ = try $0.insert("Site", values) }
            guard case .uniqueness(let conflict)? = conflicts.first, conflict.otherID == id else {
                throw Difference("the values of Site \(id.key) are not taken by it")
            }
        }
    }

    private func checkHistory(
        _ changes: [PersistentHistoryChange], _ stored: [ManagedObjectID: PropertyValues]
    ) throws {
        for change in changes {
            let id = change.changedObjectID
            let isNew = stored[id] == nil
            if change.changeType == .insert {
                try check(isNew, "the insertion of a stored object in the history")
            } else if !isNew {
                let hasNumber = change.updatedProperties?.contains("number") ?? false
                try check(
                    !hasNumber || changed[id]?.contains("number") == true,
                    "a number that was not given in the history")
            }
        }
        let told = Set(changes.map(\.changedObjectID))
        let written = Set(expected.keys.filter { stored[$0] == nil || changed[$0] != nil })
        try checkEqual(told, written, "the objects in the history")
    }
}
