import Duramen

extension GrowthRow {
    /// Live lists that take what others save.
    static var lists: [GrowthRow] {
        [
            list("list-all-rows", changing: 1, staying: false, must: .times(1.2)),
            list("list-tenth", changing: 10, staying: false, must: .times(1.2)),
            list("list-some-rows", changing: 100, staying: true, must: .nanoseconds(5_000)),
        ]
    }

    /// - Parameters:
    ///   - part: One row of how many is changed.
    ///   - staying: Whether rows stay where they are.
    private static func list(
        _ word: String, changing part: Int, staying: Bool, must: Limit
    ) -> GrowthRow {
        GrowthRow(
            number: "24", word: word, unit: "changed row", size: 10_000, countedSize: 300,
            must: must, growth: 1.3
        ) { kind, count in
            let workspace = try Workspace(kind)
            try workspace.fill(0..<count)
            let context = workspace.makeContext()
            let request = FetchRequest<Item>().sorted(by: \.number)
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            let witness = Witness()
            controller.delegate = witness
            try controller.performFetch()
            let other = workspace.makeContext()
            for item in try other.fetch(FetchRequest<Item>()) where item.number % Int64(part) == 0 {
                if staying {
                    item.text = "changed"
                } else {
                    item.number = Int64(count) - item.number
                }
            }
            try other.save()
            return Work(
                units: count / part,
                reference: {
                    try controller.performFetch()
                    withExtendedLifetime(workspace) {}
                },
                body: {
                    context.processPendingChanges()
                    try expect(witness.count > 0)
                    withExtendedLifetime((workspace, controller)) {}
                })
        }
    }
}

/// Counts the changes of a list.
private final class Witness: FetchedResultsControllerDelegate {
    typealias Object = Item

    private(set) var count = 0

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) { count += 1 }
}
