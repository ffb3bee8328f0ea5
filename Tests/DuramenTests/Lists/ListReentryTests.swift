import Duramen
import StoreTestSupport
import Testing

/// What happens between the changes of lists: values that are older than objects, fetches within
/// callbacks, stores that come and go.
@MainActor
@Suite(.serialized)
struct ListReentryTests {
    private func filled(_ kind: StoreKind, _ count: Int = 4) throws -> PersistentContainer {
        let container = try kind.container()
        for number in 1...count {
            _ = container.viewContext.insertQuake("a\(number)", magnitude: Double(number))
        }
        try container.viewContext.save()
        return container
    }

    private func controller(
        _ context: ManagedObjectContext
    ) -> FetchedResultsController<Quake> {
        FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectNeverGetsAnOlderRowOfTheList(kind: StoreKind) throws {
        let container = try filled(kind)
        let context = container.viewContext
        context.trim()
        let controller = controller(context)
        // Nobody follows it, so that it stays as it is.
        try controller.performFetch()
        let objects = try #require(controller.fetchedObjects)
        func change(_ magnitude: Double) throws {
            let quake = try #require(try context.quake("a2"))
            quake.magnitude = magnitude
            try context.save()
        }
        try change(20)
        context.trim()
        #expect(controller.object(at: .init(row: 1, section: 0)).magnitude == 20)
        #expect(objects[1].magnitude == 20)
        context.trim()
        // It conflicts with nobody.
        objects[1].magnitude = 21
        try context.save()

        // From elsewhere, while it is not registered.
        context.trim()
        try container.saveElsewhere { try $0.quake("a3")?.magnitude = 30 }
        context.processPendingChanges()
        #expect(objects[2].magnitude == 30)
        // Without changes, nothing is read.
        try controller.performFetch()
        let statements = container.persistentStoreCoordinator.store.counters.statements
        #expect(controller.fetchedObjects?.map(\.magnitude) == [1, 21, 30, 4])
        #expect(container.persistentStoreCoordinator.store.counters.statements == statements)
    }

    @Test(arguments: StoreKind.allCases)
    func observersThatAreToldBeforeTheListSeeNewValues(kind: StoreKind) throws {
        let container = try filled(kind)
        let context = container.viewContext
        context.trim()
        let controller = controller(context)
        let watcher = ListWatcher()
        controller.delegate = watcher
        try controller.performFetch()
        var seen: [Double] = []
        let observer = context.observe { event, _ in
            if case .didMerge = event {
                seen.append(controller.object(at: .init(row: 0, section: 0)).magnitude)
            }
        }
        try container.saveElsewhere { try $0.quake("a1")?.magnitude = 10 }
        context.processPendingChanges()
        observer.cancel()
        #expect(seen == [10] && watcher.batches.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildListsItsParentsNewObjectsOnce(kind: StoreKind) throws {
        let container = try filled(kind, 1)
        let parent = container.viewContext
        let first = parent.insertQuake("new 1")
        let child = ManagedObjectContext(parent: parent)
        let probe = try ListProbe(controller(child))
        #expect(probe.controller.fetchedObjects?.map(\.code) == ["a1", "new 1"])
        let second = parent.insertQuake("new 2")
        parent.processPendingChanges()
        child.processPendingChanges()
        try probe.check("an insertion in the parent")
        #expect(probe.controller.fetchedObjects?.map(\.code) == ["a1", "new 1", "new 2"])
        try parent.save()
        child.processPendingChanges()
        try probe.check("saved")
        first.code = "new 3"
        parent.delete(second)
        try parent.save()
        child.processPendingChanges()
        try probe.check("changed")
        #expect(probe.controller.fetchedObjects?.map(\.code) == ["a1", "new 3"])
    }

    /// The newest state does not find by the region what the list still has in it.
    @Test(arguments: StoreKind.allCases, [false, true])
    func aQuakeIsListedRightThatOthersMoveAwayFromARegionThatChanges(
        kind: StoreKind, isDeleted: Bool
    ) throws {
        let container = try filled(kind, 6)
        let context = container.viewContext
        let regions = ["r1", "r2"].map { context.insertRegion($0) }
        for number in 1...6 {
            try context.quake("a\(number)")?.region = regions[number % 2]
        }
        try context.save()
        let request = FetchRequest<Quake>().sorted(by: "region.name").sorted(by: \.code)
        let probe = try ListProbe(
            FetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: "region.name"),
            name: { $0.region?.name ?? "" })
        let target = regions[1].objectID
        try container.saveElsewhere {
            try $0.quake("a2")?.region = $0.object(with: target, as: Region.self)
        }
        // Told before what others saved is merged.
        if isDeleted { context.delete(regions[0]) } else { regions[0].name = "r3" }
        try context.save()
        context.processPendingChanges()
        try probe.check("moved by others")
    }

    @Test func aStoreThatIsGoneLeavesAnEmptyList() throws {
        let container = try filled(.memory)
        let controller = controller(container.viewContext)
        let watcher = ListWatcher()
        controller.delegate = watcher
        try controller.performFetch()
        try container.removeStore(container.stores[0])
        container.viewContext.processPendingChanges()
        #expect(watcher.resets == 1)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.isEmpty == true && controller.sections?.count == 1)
        container.viewContext.processPendingChanges()

        let nowhere = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code).affectedStores([]),
            managedObjectContext: try filled(.memory).viewContext)
        try nowhere.performFetch()
        #expect(nowhere.fetchedObjects?.count == 0)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aDelegateMayFetchAnewWithinACallback(kind: StoreKind, isBefore: Bool) throws {
        let container = try filled(kind, 12)
        let context = container.viewContext
        let controller = controller(context)
        let delegate = Refetching(isBefore: isBefore)
        controller.delegate = delegate
        try controller.performFetch()
        for number in 1...12 where number != 5 {
            if let quake = try context.quake("a\(number)") { context.delete(quake) }
        }
        context.processPendingChanges()
        #expect(delegate.beginnings == 1 && delegate.ends == 1)
        #expect(delegate.changes == (isBefore ? 0 : 1))
        #expect(controller.fetchedObjects?.map(\.code) == ["a5"])
        _ = context.insertQuake("b")
        context.processPendingChanges()
        #expect(delegate.beginnings == 2 && delegate.ends == 2)
        #expect(controller.fetchedObjects?.map(\.code) == ["a5", "b"])
    }

    private final class Refetching: FetchedResultsControllerDelegate {
        private let isBefore: Bool
        private(set) var beginnings = 0
        private(set) var changes = 0
        private(set) var ends = 0

        init(isBefore: Bool) { self.isBefore = isBefore }

        func controllerWillChangeContent(_ controller: FetchedResultsController<Quake>) {
            beginnings += 1
            if isBefore, beginnings == 1 { try? controller.performFetch() }
        }

        func controller(
            _ controller: FetchedResultsController<Quake>, didChange object: Quake,
            at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
            newIndexPath: FetchedResultsIndexPath?
        ) {
            changes += 1
            if !isBefore, changes == 1 { try? controller.performFetch() }
        }

        func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) {
            ends += 1
        }
    }

    @Test func whatIsMissedWhileAChangeIsWorkedOutElsewhereIsCaughtUp() async throws {
        let container = try filled(.sqlite)
        let context = container.viewContext
        let controller = controller(context)
        controller.computesChangesOffOwner = true
        let first = ListWatcher()
        controller.delegate = first
        try controller.performFetch()
        _ = context.insertQuake("b")
        context.processPendingChanges()
        // Nobody looks while the change is under way.
        controller.delegate = nil
        _ = context.insertQuake("c")
        context.processPendingChanges()
        let second = ListWatcher()
        controller.delegate = second
        #expect(await eventually { controller.fetchedObjects?.count == 6 })
        #expect(controller.fetchedObjects?.last?.code == "c")
    }

    @Test func manyRowsAtOnePlaceAreInserted() throws {
        let container = try filled(.memory, 3)
        let context = container.viewContext
        let probe = try ListProbe(controller(context))
        for number in 0..<3_000 { _ = context.insertQuake("a2 \(number)") }
        context.processPendingChanges()
        try probe.check("insertions")
        for quake in try context.fetch(FetchRequest<Quake>()) where quake.code.count % 2 == 0 {
            context.delete(quake)
        }
        for number in 0..<500 { _ = context.insertQuake("a1 \(number)") }
        context.processPendingChanges()
        try probe.check("insertions and deletions")
    }
}
