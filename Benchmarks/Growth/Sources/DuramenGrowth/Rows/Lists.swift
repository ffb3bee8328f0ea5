import Duramen

extension GrowthRow {
    /// Live lists that take what others save.
    static var lists: [GrowthRow] {
        [
            list("list-all-rows", changing: 1, staying: false, must: .times(1.2)),
            list("list-tenth", changing: 10, staying: false, must: .times(1.2)),
            list(
                "list-all-told", changing: 1, staying: false, telling: true, must: .times(1.2)),
            list("list-some-rows", changing: 100, staying: true, must: .nanoseconds(5_000)),
        ]
    }

    /// - Parameters:
    ///   - part: One row of how many is changed.
    ///   - staying: Whether rows stay where they are.
    ///   - telling: Whether the delegate receives each changed row.
    private static func list(
        _ word: String, changing part: Int, staying: Bool, telling: Bool = false, must: Limit
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
            let told = Counter()
            let witness: any FetchedResultsControllerDelegate<Item> =
                telling ? RowWitness(told) : ContentWitness(told)
            controller.delegate = witness
            try controller.performFetch()
            let other = workspace.makeContext()
            let items = try other.fetch(FetchRequest<Item>())
            // The first change shows the controller which methods the delegate has.
            items[0].text = "first"
            try other.save()
            context.processPendingChanges()
            try expect(told.count == 1)
            for item in items where item.number % Int64(part) == 0 {
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
                    try expect(told.count > 1)
                    withExtendedLifetime((workspace, controller, witness)) {}
                })
        }
    }
}

/// Counts calls of a delegate.
private final class Counter {
    var count = 0
}

/// Receives that the list changed.
private final class ContentWitness: FetchedResultsControllerDelegate {
    typealias Object = Item

    private let told: Counter

    init(_ told: Counter) { self.told = told }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
        told.count += 1
    }
}

/// Receives each changed row.
private final class RowWitness: FetchedResultsControllerDelegate {
    typealias Object = Item

    private let told: Counter

    init(_ told: Counter) { self.told = told }

    func controller(
        _ controller: FetchedResultsController<Item>, didChange object: Item,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        told.count += 1
    }
}
