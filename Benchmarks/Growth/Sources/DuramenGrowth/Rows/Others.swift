import CMeasure
import Duramen

extension GrowthRow {
    /// What others saved.
    static var others: [GrowthRow] {
        [
            GrowthRow(
                number: "30", word: "history-last", unit: "request", size: 1_000, countedSize: 200
            ) { kind, count in
                let workspace = try Workspace(kind, keepsHistory: true)
                let context = workspace.makeContext()
                let item = Item.insert(0, in: context)
                for number in 0..<count {
                    item.number = Int64(number)
                    try context.save()
                }
                var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
                request.fetchLimit = 100
                return Work(units: 20) {
                    for _ in 0..<20 {
                        let result = try context.execute(request)
                        try expect(result.transactions.count == 100)
                    }
                    withExtendedLifetime(workspace) {}
                }
            },
            GrowthRow(
                number: "31", word: "idle-context", unit: "row saved elsewhere", size: 10_000,
                countedSize: 300, must: .bytes(24)
            ) { kind, count in
                let workspace = try Workspace(kind)
                // The store keeps what is saved, too: that is measured first, and taken off.
                let alone = try heldBytes { try workspace.fill(0..<count) }
                let idle = workspace.makeContext()
                _ = try idle.fetch(FetchRequest<Item>().limit(1))
                let beside = try heldBytes { try workspace.fill(count..<2 * count) }
                let waiting = max(0, beside - alone)
                return Work(units: count, amount: Double(waiting)) {
                    idle.processPendingChanges()
                    withExtendedLifetime(workspace) {}
                }
            },
        ]
    }

    /// What opening a file costs.
    static var opening: [GrowthRow] {
        [
            GrowthRow(
                number: nil, word: "open-checked", unit: "page of 4 KiB", size: 100_000,
                countedSize: 3_000, stores: [.lmdb]
            ) { kind, count in
                let workspace = try Workspace(kind)
                try workspace.fill(0..<count)
                return Work(units: try workspace.pageCount()) { try workspace.reopenChecked() }
            }
        ]
    }

    @MainActor
    private static func heldBytes(_ body: () throws -> Void) throws -> Int64 {
        let before = measure_held_bytes()
        try body()
        return measure_held_bytes() - before
    }
}
