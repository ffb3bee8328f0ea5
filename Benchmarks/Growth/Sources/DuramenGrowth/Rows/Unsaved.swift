import Duramen

extension GrowthRow {
    /// Fetches beside changes that are not saved.
    static var unsaved: [GrowthRow] {
        [
            GrowthRow(
                number: "19", word: "find-or-create", unit: "row", size: 20_000, countedSize: 200,
                must: .nanoseconds(12_000)
            ) { kind, count in
                let workspace = try Workspace(kind)
                let context = workspace.makeContext()
                return Work(units: count) {
                    for number in 0..<count {
                        let name = Item.name(number)
                        let known = try context.fetch(
                            FetchRequest<Item>().where { $0.name == name })
                        if known.isEmpty { _ = Item.insert(number, in: context) }
                    }
                    withExtendedLifetime(workspace) {}
                }
            },
            GrowthRow(
                number: "29", word: "fetch-beside-changes", unit: "unsaved change", size: 10_000,
                countedSize: 300, must: .nanoseconds(40)
            ) { kind, count in
                let workspace = try Workspace(kind)
                try workspace.fill(0..<50)
                let context = workspace.makeContext()
                for number in 0..<count { _ = Item.insert(1_000 + number, in: context) }
                let request = FetchRequest<Item>().where { $0.number < 50 }.sorted(by: \.number)
                // The first page notes what changed; each later one only asks for it.
                try expect(try context.fetch(request).count == 50)
                return Work(units: count) {
                    try expect(try context.fetch(request).count == 50)
                    withExtendedLifetime(workspace) {}
                }
            },
        ]
    }
}
