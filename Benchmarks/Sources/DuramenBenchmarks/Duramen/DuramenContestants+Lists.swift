import Duramen
import DuramenSQLite
import Foundation

/// Lists that follow changes.
extension DuramenContestants {
    /// Changes one row after the other, each with a save, and is told of each.
    static func list(_ dataset: Dataset, _ identifiers: [Int64]) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore("list-duramen", .sqlite)
        let context = store.container.makeContext()
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.magnitude),
            managedObjectContext: context)
        let counter = ChangeCounter()
        controller.delegate = counter
        try controller.performFetch()
        let quakes = store.ids(of: identifiers).map { context.object(with: $0, as: Quake.self) }
        for quake in quakes { try quake.load() }
        return [
            Contestant(.duramen, operations: identifiers.count) {
                let before = counter.count
                for quake in quakes {
                    quake.magnitude = 10 - quake.magnitude
                    try context.save()
                }
                withExtendedLifetime(controller) {}
                return Outcome(counter.count - before)
            }
        ]
    }

    /// Changes rows through another container, each with a save, and waits until the list has the
    /// change, or fetches the list again.
    static func listOfOthers(_ dataset: Dataset, _ identifiers: [Int64]) throws -> [Contestant] {
        let request = FetchRequest<Quake>().sorted(by: \.magnitude)
        return try [
            (Role.duramenRefetch, false), (.duramenWithoutHistory, false), (.duramen, true),
        ].map { role, keepsHistory in
            let path = try dataset.emptyPath("\(role)")
            let store = try QuakeStore(
                .sqlite, path: path, regions: dataset.regions, keepsHistory: keepsHistory)
            try store.fill(dataset.quakes)
            let other = try PersistentContainer.open(
                model: ManagedObjectModel(Quake.self, Region.self),
                stores: [.sqlite(path).durability(.relaxed)])
            let writer = other.makeContext()
            let quakes = try store.ids(of: identifiers).map {
                try writer.existingObject(with: $0, as: Quake.self)
            }
            let context = store.container.makeContext()
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            let counter = ChangeCounter()
            if role != .duramenRefetch {
                store.container.automaticallyMergesRemoteChanges = true
                controller.delegate = counter
            }
            try controller.performFetch()
            // A list anew takes as long as all these changes; two are enough of it.
            let changed = role == .duramenRefetch ? Array(quakes.prefix(2)) : quakes
            return Contestant(role, operations: changed.count) {
                for quake in changed {
                    quake.magnitude = 10 - quake.magnitude
                    let known = counter.count
                    try writer.save()
                    if role == .duramenRefetch { try controller.performFetch() }
                    while role != .duramenRefetch, counter.count == known {
                        usleep(100)
                        context.processPendingChanges()
                    }
                }
                withExtendedLifetime((controller, other)) {}
                return Outcome(controller.fetchedObjects?.count ?? 0)
            }
        }
    }

    /// The same in sections, without saves; or all at once, from a save of another context.
    static func sectionedList(
        _ dataset: Dataset, _ identifiers: [Int64], together: Bool
    ) throws -> [Contestant] {
        let store = try dataset.filledQuakeStore("sections-\(together)", .sqlite)
        let context = store.container.makeContext()
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.place).sorted(by: \.magnitude),
            managedObjectContext: context, sectionNameKeyPath: "place")
        let counter = ChangeCounter()
        controller.delegate = counter
        try controller.performFetch()
        let ids = store.ids(of: identifiers)
        if together {
            return [
                Contestant(
                    .duramen,
                    prepare: {
                        let other = store.container.makeContext()
                        for id in ids {
                            let quake = try other.existingObject(with: id, as: Quake.self)
                            quake.magnitude = 10 - quake.magnitude
                        }
                        try other.save()
                    },
                    body: {
                        context.processPendingChanges()
                        withExtendedLifetime(controller) {}
                        return Outcome(counter.count)
                    })
            ]
        }
        let quakes = ids.map { context.object(with: $0, as: Quake.self) }
        for quake in quakes { try quake.load() }
        return [
            Contestant(.duramen) {
                for quake in quakes {
                    quake.magnitude = 10 - quake.magnitude
                    context.processPendingChanges()
                }
                withExtendedLifetime(controller) {}
                return Outcome(counter.count)
            }
        ]
    }

    /// All objects alone, and all objects of a list.
    static func heldLists(_ dataset: Dataset) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        let request = FetchRequest<Quake>().sorted(by: \.place).sorted(by: \.magnitude)
        return [
            Contestant(.duramenObjects) {
                let context = container.makeContext()
                let quakes = try context.fetch(request)
                return Outcome(quakes.count, holding: (context, quakes))
            },
            Contestant(.duramen) {
                let context = container.makeContext()
                let controller = FetchedResultsController(
                    fetchRequest: request, managedObjectContext: context,
                    sectionNameKeyPath: "place")
                try controller.performFetch()
                let quakes = controller.fetchedObjects.map(Array.init) ?? []
                return Outcome(quakes.count, holding: (context, controller, quakes))
            },
        ]
    }
}

/// Counts the changes that it is told of.
private final class ChangeCounter: FetchedResultsControllerDelegate {
    typealias Object = Quake

    private(set) var count = 0

    func controller(
        _ controller: FetchedResultsController<Quake>, didChange object: Quake,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        count += 1
    }
}
