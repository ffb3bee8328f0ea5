import Duramen
import DuramenModel
import Observation
import StoreTestSupport
import Testing

/// The ways in which changes of results are delivered.
@MainActor
@Suite(.serialized)
struct ListDeliveryTests {
    private func context(_ kind: StoreKind = .memory) throws -> ManagedObjectContext {
        let context = try kind.container().viewContext
        for number in 1...4 { _ = context.insertQuake("a\(number)", magnitude: Double(number)) }
        try context.save()
        return context
    }

    private func controller(
        _ context: ManagedObjectContext, sections: String? = nil
    ) -> FetchedResultsController<Quake> {
        FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.magnitude),
            managedObjectContext: context, sectionNameKeyPath: sections)
    }

    @Test func aSnapshotDelegateIsGivenSnapshotsAndNothingElse() throws {
        let context = try context()
        let controller = controller(context)
        let delegate = SnapshotDelegate()
        controller.delegate = delegate
        try controller.performFetch()
        let quake = try #require(controller.fetchedObjects?[1])
        quake.depth = 7
        context.processPendingChanges()
        #expect(delegate.snapshots.count == 1 && delegate.calls == 0)
        #expect(delegate.snapshots[0].reloadedItemIdentifiers == [quake.objectID])
        #expect(delegate.snapshots[0].numberOfItems == 4)
        #expect(delegate.snapshots[0].sectionIdentifiers == [""])
        quake.magnitude = 9
        context.processPendingChanges()
        #expect(delegate.snapshots[1].itemIdentifiers.last == quake.objectID)
        #expect(delegate.snapshots[1].reloadedItemIdentifiers == [])
    }

    @Test func aDifferenceDelegateIsGivenDifferencesOfResultsWithoutSections() throws {
        let context = try context()
        let controller = controller(context)
        let delegate = DifferenceDelegate()
        controller.delegate = delegate
        try controller.performFetch()
        let before = try #require(controller.fetchedObjects?.objectIDs)
        let quakes = try #require(controller.fetchedObjects.map(Array.init))
        quakes[0].magnitude = 3.5
        quakes[1].depth = 1
        context.delete(quakes[3])
        _ = context.insertQuake("new", magnitude: 0)
        context.processPendingChanges()
        let difference = try #require(delegate.differences.first)
        #expect(delegate.differences.count == 1 && delegate.calls == 0)
        #expect(before.applying(difference) == controller.fetchedObjects?.objectIDs)
        // What changed in place knows both of its halves.
        let updated = difference.contains { change in
            guard case .remove(_, quakes[1].objectID, let other) = change else { return false }
            return other != nil
        }
        #expect(updated)
        let sectioned = self.controller(context, sections: "magnitude")
        sectioned.delegate = delegate
        try sectioned.performFetch()
        quakes[2].depth = 8
        context.processPendingChanges()
        #expect(delegate.differences.count == 2 && delegate.calls == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aDelegateOfTheWholeIsToldOnceOfALargeSave(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        for number in 100..<200 {
            _ = context.insertQuake("a\(number)", magnitude: Double(number))
        }
        try context.save()
        let controller = controller(context)
        let delegate = WholeDelegate()
        controller.delegate = delegate
        try controller.performFetch()
        let ids = try #require(controller.fetchedObjects?.objectIDs)
        // From the first change on it is known that the delegate leaves out the objects.
        try container.saveElsewhere { try $0.quake("a100")?.depth = 1 }
        context.processPendingChanges()
        #expect(delegate.count == 1 && controller.snapshot?.reloadedItemIdentifiers == [ids[0]])
        let statements = container.persistentStoreCoordinator.store.counters.statements
        try container.saveElsewhere { other in
            for quake in try other.fetch(FetchRequest<Quake>()) { quake.depth = 7 }
        }
        let saved = container.persistentStoreCoordinator.store.counters.statements
        context.processPendingChanges()
        let read = container.persistentStoreCoordinator.store.counters.statements
        #expect(delegate.count == 2 && read > saved && saved > statements)
        #expect(controller.snapshot?.reloadedItemIdentifiers == ids)
        try container.saveElsewhere { other in
            for quake in try other.fetch(FetchRequest<Quake>()) { quake.magnitude *= -1 }
        }
        context.processPendingChanges()
        // All but one are moves.
        #expect(delegate.count == 3 && controller.snapshot?.reloadedItemIdentifiers.count == 1)
        #expect(controller.fetchedObjects?.objectIDs == ids.reversed())
        // Neither a large save of other objects nor one change more is a reason to read.
        try container.saveElsewhere { other in
            for number in 0..<100 { _ = other.insertTag("t\(number)") }
        }
        let known = container.persistentStoreCoordinator.store.counters.statements
        try #require(controller.fetchedObjects?[5]).depth = 9
        context.processPendingChanges()
        #expect(container.persistentStoreCoordinator.store.counters.statements == known)
        #expect(controller.snapshot?.reloadedItemIdentifiers == [ids[94]])
    }

    /// Has none of the methods for single changes.
    private final class WholeDelegate: FetchedResultsControllerDelegate {
        private(set) var count = 0

        func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) {
            count += 1
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eventsAreValuesThatAnybodyAwaits(kind: StoreKind) async throws {
        let context = try context(kind)
        let controller = controller(context)
        try controller.performFetch()
        let events = controller.events()
        let reader = Task.detached { () -> [String] in
            var seen: [String] = []
            for await event in events {
                switch event {
                case .fetched(let snapshot): seen.append("fetched \(snapshot.numberOfItems)")
                case .changed(let snapshot, let changes):
                    let kinds = changes.objects.map { "\($0.kind)" }
                    seen.append("\(kinds) \(snapshot.numberOfItems)")
                case .reset: seen.append("reset")
                case .failed(let error): seen.append("\(error)")
                case .missed: seen.append("missed")
                }
                if case .reset = event { break }
            }
            return seen
        }
        _ = context.insertQuake("new", magnitude: 9)
        context.processPendingChanges()
        try context.save()
        let quake = try #require(try context.quake("a1"))
        quake.magnitude = 8
        context.processPendingChanges()
        context.reset()
        context.processPendingChanges()
        #expect(await reader.value == ["fetched 4", "[\"insert\"] 5", "[\"move\"] 5", "reset"])
    }

    @Test func anIdleContextOfTheMainActorFollowsByItself() async throws {
        let container = try StoreKind.memory.container()
        let context = container.viewContext
        let results = try FetchedResults(
            FetchRequest<Quake>().sorted(by: \.magnitude), in: context)
        #expect(results.objects?.isEmpty == true)
        try container.saveElsewhere { _ = $0.insertQuake("new") }
        #expect(await eventually { results.controller.fetchedObjects?.count == 1 })
    }

    @Test func aModelForViewsIsObserved() throws {
        let context = try context()
        let results = try FetchedResults(
            FetchRequest<Quake>().sorted(by: \.magnitude), in: context,
            sectionNameKeyPath: "magnitude")
        let changes = Locked(0)
        func watch() {
            withObservationTracking {
                _ = results.objects?.count
            } onChange: {
                changes.withLock { $0 += 1 }
            }
        }
        watch()
        _ = context.insertQuake("b", magnitude: 5)
        _ = context.insertQuake("c", magnitude: 6)
        #expect(changes.withLock { $0 } == 0)
        context.processPendingChanges()
        #expect(changes.withLock { $0 } == 1 && results.objects?.count == 6)
        #expect(results.sections.map(\.name) == ["1", "2", "3", "4", "5", "6"])
        watch()
        context.processPendingChanges()
        #expect(changes.withLock { $0 } == 1 && results.error == nil)
    }

    @Test func resultsThatNobodyFollowsCatchUpWhenSomebodyDoes() throws {
        let context = try context()
        let controller = controller(context)
        try controller.performFetch()
        _ = context.insertQuake("new", magnitude: 0)
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 4)
        let watcher = ListWatcher()
        controller.delegate = watcher
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 5)
        #expect(watcher.batches.map { $0.map(\.kind) } == [[.insert]])
    }

    @Test(arguments: StoreKind.allCases)
    func theFirstFetchNeedNotHoldTheOwner(kind: StoreKind) async throws {
        let context = try context(kind)
        let controller = controller(context)
        let watcher = ListWatcher()
        controller.delegate = watcher
        let unsaved = context.insertQuake("new", magnitude: 2.5)
        try await controller.performFetchOffOwner()
        #expect(controller.fetchedObjects?.map(\.code) == ["a1", "a2", "new", "a3", "a4"])
        context.delete(unsaved)
        context.processPendingChanges()
        #expect(watcher.batches.map { $0.map(\.kind) } == [[.delete]])
        let named = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context,
            sectionName: { $0.code })
        await #expect(throws: ContextError.self) { try await named.performFetchOffOwner() }
    }

    @Test(arguments: StoreKind.allCases)
    func changesCanBeWorkedOutOffTheOwner(kind: StoreKind) async throws {
        let context = try context(kind)
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().where { $0.magnitude < 50 }
                .sorted(by: "region.name").sorted(by: \.magnitude),
            managedObjectContext: context, sectionNameKeyPath: "region.name")
        controller.computesChangesOffOwner = true
        let probe = try ListProbe(controller, name: { $0.region?.name ?? "" })
        for number in 5...40 {
            let quake = context.insertQuake("a\(number)", magnitude: Double(number))
            if number % 3 == 0 { quake.region = context.insertRegion("r\(number % 4)") }
            if number % 5 == 0 { context.processPendingChanges() }
            if number % 7 == 0 { quake.region?.name = "r9" }
            await Task.yield()
        }
        try context.save()
        context.processPendingChanges()
        let request = controller.fetchRequest
        #expect(
            try await eventually {
                try controller.fetchedObjects?.objectIDs == context.fetchObjectIDs(request)
            })
        try probe.check("off the owner")
        // Not within the call that notices the change.
        _ = context.insertQuake("new", magnitude: 7)
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 40)
        #expect(await eventually { controller.fetchedObjects?.count == 41 })
        #expect(probe.batchCount > 1 && probe.failures.isEmpty)
    }

    @Test func backgroundContextsAndActorsHaveResultsToo() async throws {
        let container = try StoreKind.memory.container()
        let background = container.newBackgroundContext()
        let counts = try await background.perform { context -> [Int] in
            let controller = FetchedResultsController(
                fetchRequest: FetchRequest<Quake>().sorted(by: \.code),
                managedObjectContext: context)
            let watcher = ListWatcher()
            controller.delegate = watcher
            try controller.performFetch()
            _ = context.insertQuake("a")
            try context.save()
            return [controller.fetchedObjects?.count ?? -1, watcher.batches.count]
        }
        #expect(counts == [1, 1])
        let desk = ListDesk(container)
        try await desk.open()
        try container.saveElsewhere { _ = $0.insertQuake("b") }
        var count = 0
        var patience = Patience()
        while count < 2, patience.isLeft {
            count = await desk.count
            await Task.yield()
        }
        #expect(count == 2)
    }
}

/// An actor with a context and results of its own.
private actor ListDesk {
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Quake>
    private let watcher = ListWatcher()

    init(_ container: PersistentContainer) {
        let context = container.makeContext()
        self.context = context
        controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context)
        context.attach(to: self)
    }

    func open() throws {
        controller.delegate = watcher
        try controller.performFetch()
    }

    var count: Int { controller.fetchedObjects?.count ?? -1 }
}

private final class SnapshotDelegate: FetchedResultsSnapshotDelegate {
    typealias Object = Quake

    var snapshots: [FetchedResultsSnapshot] = []
    var calls = 0

    func controller(
        _ controller: FetchedResultsController<Quake>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
        snapshots.append(snapshot)
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Quake>) { calls += 1 }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) { calls += 1 }
}

private final class DifferenceDelegate: FetchedResultsDifferenceDelegate {
    typealias Object = Quake

    var differences: [CollectionDifference<ManagedObjectID>] = []
    var calls = 0

    func controller(
        _ controller: FetchedResultsController<Quake>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>
    ) {
        differences.append(difference)
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) { calls += 1 }
}
