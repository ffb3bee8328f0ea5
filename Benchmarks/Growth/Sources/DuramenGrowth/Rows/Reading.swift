import Duramen

extension GrowthRow {
    /// Reads of properties.
    static var reading: [GrowthRow] {
        [
            GrowthRow(
                number: "28", word: "observable-read", unit: "read", size: 1_000,
                countedSize: 100, must: .nanoseconds(5), stores: [.memory]
            ) { kind, count in
                let workspace = try Workspace(kind)
                try workspace.fill(0..<count)
                let context = workspace.makeContext()
                context.isObservable = true
                let items = try context.fetch(FetchRequest<Item>())
                var sum: Int64 = 0
                for item in items { sum += item.number }
                let rounds = 100
                return Work(units: count * rounds) {
                    var again: Int64 = 0
                    for _ in 0..<rounds {
                        for item in items { again += item.number }
                    }
                    try expect(again == sum * Int64(rounds))
                    withExtendedLifetime(workspace) {}
                }
            }
        ]
    }
}
