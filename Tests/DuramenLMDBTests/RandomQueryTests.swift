import DuramenLMDB
import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Random questions about random rows, answered like the memory store answers them.
@Suite struct RandomQueryTests {
    let folder = TemporaryFolder()

    private static let names = Samples.kinds.map(\.name) + ["group", "plain"]

    /// Values of rows, often the same, so that questions find some.
    private func makeRows(_ count: Int, _ random: inout SplitMix64) -> [[String: StoredValue]] {
        var pools: [String: [StoredValue]] = [:]
        for name in Self.names {
            pools[name] = (0..<12).map { _ in SampleValues.value(name, &random) }
        }
        return (0..<count).map { _ in
            var values: [String: StoredValue] = [:]
            for name in Self.names where Int.random(in: 0..<6, using: &random) > 0 {
                values[name] = random.pick(pools[name] ?? [])
            }
            return values
        }
    }

    private func condition(
        _ rows: [[String: StoredValue]], _ random: inout SplitMix64
    ) -> FetchPredicate {
        let name = random.pick(Self.names + ["group", "group", "whole", "text"])
        func value() -> StoredValue {
            if Int.random(in: 0..<12, using: &random) == 0 { return .null }
            if Bool.random(using: &random) { return random.pick(rows)[name] ?? .null }
            return SampleValues.value(name, &random)
        }
        let relations: [PredicateComparison.Operator] = [
            .equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return compare(name, .isIn, (0..<4).map { _ in value() })
        case 1:
            // Null is no end of a range.
            return compare(
                name, .between,
                [SampleValues.value(name, &random), SampleValues.value(name, &random)])
        case 2:
            return compare("text", .beginsWith, .text(SampleValues.text(&random)))
        case 3: return .not(condition(rows, &random))
        case 4: return .or([condition(rows, &random), condition(rows, &random)])
        default: return compare(name, random.pick(relations), value())
        }
    }

    private func query(
        _ store: any PersistentStore, _ rows: [[String: StoredValue]], _ random: inout SplitMix64
    ) throws -> StoreQuery {
        let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in condition(rows, &random)
        }
        let ascending = Bool.random(using: &random)
        let sort: [FetchSortDescriptor] =
            switch Int.random(in: 0..<5, using: &random) {
            case 0: []
            case 1: [FetchSortDescriptor(random.pick(Self.names), ascending: ascending)]
            case 2:
                ["text", "whole"].map { FetchSortDescriptor($0, ascending: ascending) }
            case 3:
                ["whole", "text", "exact"].map { FetchSortDescriptor($0, ascending: ascending) }
            default: [FetchSortDescriptor(random.pick(["exact", "text"]), ascending: ascending)]
            }
        var query = try store.query(
            random.pick(["Sample", "Sample", "SubSample"]),
            parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .and(parts), sort: sort,
            offset: random.pick([0, 0, 1, 7]), limit: random.pick([nil, 0, 1, 5, 40]))
        query.includesSubentities = Int.random(in: 0..<4, using: &random) > 0
        return query
    }

    private func insert(
        _ rows: [[String: StoredValue]], into store: any PersistentStore
    ) throws -> [ManagedObjectID] {
        let half = rows.count * 3 / 4
        return try store.insert("Sample", all: Array(rows[..<half]))
            + store.insert("SubSample", all: Array(rows[half...]))
    }

    @Test("Random questions about random rows have the memory store's answers")
    func sameAnswers() throws {
        var random = SplitMix64(seed: randomSeed())
        let store = try PersistentStoreDescription.lmdb(folder.file()).durability(.unsafeNoSync)
            .open(model: Samples.model)
        let memory = try PersistentStoreDescription.memory().open(model: Samples.model)
        let rows = makeRows(300, &random)
        let ids = try insert(rows, into: store)
        let others = try insert(rows, into: memory)
        #expect(ids.map(\.key) == others.map(\.key))
        // Entries are taken away and added again.
        for _ in 0..<40 {
            let place = Int.random(in: 0..<ids.count, using: &random)
            let values = makeRows(1, &random)[0]
            try store.saved(ChangeSet(updates: [try store.update(ids[place], values)]))
            try memory.saved(ChangeSet(updates: [try memory.update(others[place], values)]))
        }
        for _ in 0..<repetitions(150) {
            let query = try query(store, rows, &random)
            let expected = try memory.keys(query)
            #expect(try store.keys(query) == expected, "\(query)")
            let execution = try QueryExecution(query, on: store, in: store.snapshot())
            #expect(try execution.count() == expected.count, "\(query)")
        }
        try store.close()
    }
}
