import Duramen
import Observation

extension GrowthRow {
    /// Reads of properties.
    static var reading: [GrowthRow] {
        [
            observableRead("observable-read", must: .nanoseconds(5)),
            observableRead("observable-beside-class", must: .times(1)),
            GrowthRow(
                number: "27", word: "page-by-name", unit: "page", size: 100_000,
                // With fewer, rows of a page of the list share pages of the file.
                countedSize: 8_000, must: .nanoseconds(1_000_000), stores: [.sqlite, .lmdb]
            ) { kind, count in
                let workspace = try Workspace(kind)
                let context = workspace.makeContext()
                for number in 0..<count {
                    Person(context: context).name = "Person \(number * 7_919 % count)"
                }
                try context.save()
                let page = FetchRequest<Person>()
                    .sorted(by: FetchSortDescriptor("name", comparison: .localizedStandard)).limit(
                        50)
                return Work(units: 20) {
                    for _ in 0..<20 {
                        let people = try workspace.makeContext().fetch(page)
                        try expect(people.count == 50 && people[9].name == "Person 9")
                    }
                }
            },
        ]
    }

    /// Reads in a context whose objects can be observed, beside a class made by `@Observable`.
    private static func observableRead(_ word: String, must: Limit) -> GrowthRow {
        GrowthRow(
            number: "28", word: word, unit: "read", size: 1_000, countedSize: 100, must: must,
            stores: [.memory]
        ) { kind, count in
            let workspace = try Workspace(kind)
            try workspace.fill(0..<count)
            let context = workspace.makeContext()
            context.isObservable = true
            let items = try context.fetch(FetchRequest<Item>())
            var sum: Int64 = 0
            for item in items { sum += item.number }
            let others = items.map { ObservedItem($0.number) }
            let rounds = 100
            return Work(
                units: count * rounds,
                reference: {
                    var again: Int64 = 0
                    for _ in 0..<rounds {
                        for item in others { again += item.number }
                    }
                    try expect(again == sum * Int64(rounds))
                },
                body: {
                    var again: Int64 = 0
                    for _ in 0..<rounds {
                        for item in items { again += item.number }
                    }
                    try expect(again == sum * Int64(rounds))
                    withExtendedLifetime(workspace) {}
                })
        }
    }
}

/// A class that can be observed, for comparison.
@Observable private final class ObservedItem {
    var number: Int64

    init(_ number: Int64) { self.number = number }
}
