import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// Batches over rows that are known already, longer than what is written row by row.
@MainActor
@Suite(.serialized) struct LargeUpsertTests {
    /// Rows whose codes come again, within a part of a batch and in others.
    private static func rows(_ random: inout SplitMix64, _ regions: [ManagedObjectID]) -> [[String:
        any Sendable]]
    {
        (0..<Int.random(in: 1_200...2_400, using: &random)).map { number in
            var row: [String: any Sendable] = [
                "code": "q\(Int.random(in: 0..<1_600, using: &random))"
            ]
            if Bool.random(using: &random) { row["magnitude"] = Double(number) }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: row["depth"] = Double?.none
            case 1: row["depth"] = Double(number) / 2
            default: break
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                row["region"] = regions.randomElement(using: &random)
            }
            return row
        }
    }

    private func contents(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map {
            "\($0.code) \($0.magnitude) \($0.depth ?? -1) \($0.region?.name ?? "-")"
        }
    }

    @Test func everyPolicyLeavesWhatItLeavesInMemory() throws {
        let seed = randomSeed()
        let policies: [MergePolicy] = [
            .mergeByPropertyStoreTrump, .rollback, .mergeByPropertyObjectTrump, .fill, .overwrite,
        ]
        for (number, policy) in policies.enumerated() {
            var seen: [(contents: [String], counts: [Int])] = []
            for kind in [StoreKind.sqlite, .memory] {
                let container = try kind.container(options: ContextOptions(mergePolicy: policy))
                let context = container.viewContext
                var random = SplitMix64(seed: seed &+ UInt64(number))
                let regions = ["a", "b"].map { context.insertRegion($0) }
                try context.save()
                let ids = regions.map(\.objectID)
                var counts: [Int] = []
                for _ in 0..<2 {
                    let rows = Self.rows(&random, ids)
                    let held = try context.fetch(FetchRequest<Quake>())
                    let result = try context.execute(BatchInsertRequest(Quake.self, objects: rows))
                    counts.append(result.count)
                    // Contexts see what was written, though nobody knows which rows it was.
                    let reader = container.makeContext()
                    for quake in held.prefix(20) {
                        let stored = try #require(try reader.quake(quake.code))
                        #expect(stored.magnitude == quake.magnitude && stored.depth == quake.depth)
                    }
                }
                seen.append((try contents(container), counts))
            }
            #expect(seen[0].contents == seen[1].contents, "seed \(seed), \(policy)")
            #expect(seen[0].counts == seen[1].counts, "seed \(seed), \(policy)")
        }
    }

    @Test func aLargeBatchOverKnownRowsTakesAStatementForMany() throws {
        let container = try StoreKind.sqlite.container(
            options: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let context = container.viewContext
        func run(_ magnitude: Double) throws -> Int {
            try context.execute(
                BatchInsertRequest(
                    Quake.self,
                    objects: (0..<8_000).map { ["code": "q\($0)", "magnitude": magnitude] })
            ).count
        }
        #expect(try run(1) == 8_000)
        let counters = container.persistentStoreCoordinator.store.counters
        let statements = counters.statements
        #expect(try run(2) == 8_000)
        // Two parts are written row by row, since contexts are told of up to a thousand rows.
        #expect(counters.statements - statements < 4_500)
        let changed = FetchRequest<Quake>().where { $0.magnitude == 2 }
        #expect(try context.count(for: changed) == 8_000)
    }

    @Test func versionsOfRowsTakenOverGrow() throws {
        let container = try StoreKind.sqlite.container(
            options: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let context = container.viewContext
        let rows: [[String: any Sendable]] = (0..<2_500).map { ["code": "q\($0)"] }
        try context.execute(BatchInsertRequest(Quake.self, objects: rows))
        let other = container.makeContext(
            ContextOptions(
                automaticallyMergesChangesFromParent: false, mergePolicy: .error))
        let late = try #require(try other.quake("q2400"))
        late.depth = 7
        try context.execute(
            BatchInsertRequest(
                Quake.self, objects: (0..<2_500).map { ["code": "q\($0)", "depth": 1.0] }))
        #expect(throws: SaveConflictError.self) { try other.save() }
    }

    @Test func aHistoryTellsOfEveryRowThatWasTakenOver() throws {
        let container = try PersistentContainer.open(
            model: Seismology.model,
            stores: [StoreKind.sqlite.description.keepingHistory(forDays: nil)],
            defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let context = container.viewContext
        let rows: [[String: any Sendable]] = (0..<2_500).map { ["code": "q\($0)", "magnitude": 1] }
        for _ in 0..<2 { try context.execute(BatchInsertRequest(Quake.self, objects: rows)) }
        let transactions = try context.execute(.fetchHistory(after: nil)).transactions
        #expect(transactions.map { $0.changes?.count } == [2_500, 2_500])
    }
}
