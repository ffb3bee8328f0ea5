import DuramenModel
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Transactions of several stores on lists of numbers, judged by their history.
@Suite(.enabled(if: TestServer.isThere)) struct ListHistoryTests {
    private static let lists = 4
    /// The transactions of a client before there are new lists, since each reads a list whole.
    private static let round = 200

    private func anomalies(checks: Bool, seed: UInt64) throws -> [IsolationAnomaly] {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next().timeout(seconds: 60)
        let stores = try (0..<3).map { _ in try place.open(model: FaultModel.model) }
        var found: [IsolationAnomaly] = []
        for start in stride(from: 0, to: TestSizes.listTransactions, by: Self.round) {
            let end = min(start + Self.round, TestSizes.listTransactions)
            found += try anomalies(
                of: stores, start..<end, checks: checks, seed: seed &+ UInt64(start) &* 4)
        }
        for store in stores { try store.close() }
        return found
    }

    /// Runs transactions of several clients on new lists.
    private func anomalies(
        of stores: [any PersistentStore], _ numbers: Range<Int>, checks: Bool, seed: UInt64
    ) throws -> [IsolationAnomaly] {
        let ids = try stores[0].insert(
            "Counter", all: (0..<Self.lists).map { _ in ["list": .text("")] })
        let history = Locked<[ListTransaction]>([])
        try inThreads(4) { client in
            var random = SplitMix64(seed: seed &+ UInt64(client))
            let store = stores[client % stores.count]
            for number in numbers {
                let name = "c\(client)-\(number)"
                let chosen = Array((0..<Self.lists).shuffled(using: &random).prefix(2))
                var transaction = ListTransaction(name, .aborted)
                let snapshot = try store.snapshot()
                let rows = try chosen.map { try store.present(ids[$0], in: snapshot) }
                for (list, row) in zip(chosen, rows) {
                    transaction.steps.append(.read(list: list, members(store, row)))
                }
                let appended = client * 1_000_000 + number
                let old = members(store, rows[0]) + [appended]
                let text = old.map(String.init).joined(separator: ",")
                var changes = ChangeSet(
                    updates: [try store.edit(rows[0], ["list": .text(StoredText(text))])])
                if checks { changes.checks = [store.check(rows[1])] }
                transaction.steps.append(.append(list: chosen[0], appended))
                do throws(StoreError) {
                    if case .saved = try store.save(changes) { transaction.outcome = .committed }
                } catch {
                    if error.code != .storeBusy { throw error }
                }
                let done = transaction
                history.withLock { $0.append(done) }
            }
        }
        let snapshot = try stores[0].snapshot()
        var final: [Int: [Int]] = [:]
        for (list, id) in ids.enumerated() {
            final[list] = members(stores[0], try stores[0].present(id, in: snapshot))
        }
        let all = history.withLock { $0 }
        #expect(all.count { $0.outcome == .committed } > all.count / 10)
        return IsolationChecker(all, final: final).anomalies()
    }

    private func members(_ store: any PersistentStore, _ row: Row) -> [Int] {
        guard case .text(let text)? = store.values(row)["list"] else { return [] }
        return text.string.split(separator: ",").compactMap { Int($0) }
    }

    @Test func nothingWorseThanWriteSkewIsSeen() throws {
        let found = try anomalies(checks: false, seed: randomSeed())
        #expect(found.filter { $0.kind != .writeSkew } == [])
    }

    @Test func withChecksOfAllThatWasReadNothingIsSeen() throws {
        #expect(try anomalies(checks: true, seed: randomSeed()) == [])
    }
}
