import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// What a controller has, and what it refuses.
@MainActor
@Suite(.serialized)
struct FetchedResultsControllerTests {
    /// Three regions; quakes a1 to a6 of magnitudes 1 to 6, in r1, r2, r3, r1, r2, r3.
    private func seismology(_ kind: StoreKind = .memory) throws -> ManagedObjectContext {
        let context = try kind.container().viewContext
        let regions = (1...3).map { context.insertRegion("r\($0)") }
        for number in 1...6 {
            _ = context.insertQuake(
                "a\(number)", magnitude: Double(number), in: regions[(number - 1) % 3])
        }
        try context.save()
        return context
    }

    private func controller(
        _ context: ManagedObjectContext,
        _ request: FetchRequest<Quake> = FetchRequest<Quake>().sorted(by: \.code),
        sections: String? = nil
    ) -> FetchedResultsController<Quake> {
        FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections)
    }

    private let bySection = FetchRequest<Quake>().sorted(by: "region.name").sorted(by: \.code)

    @Test func thereIsNothingBeforeTheFetch() throws {
        let context = try seismology()
        let controller = controller(context)
        #expect(controller.fetchedObjects == nil && controller.sections == nil)
        #expect(controller.snapshot == nil && controller.sectionIndexTitles == [])
        let quake = try #require(try context.quake("a1"))
        #expect(controller.indexPath(for: quake) == nil)
    }

    @Test func earlierResultsStayUntilThereAreOthers() async throws {
        let plan = FaultPlan()
        let context = try StoreKind.sqlite.container(plan: plan).viewContext
        for code in ["a", "b"] { _ = context.insertQuake(code, magnitude: 1) }
        try context.save()
        let controller = controller(context)
        let results = FetchedResults(controller)
        try controller.performFetch()
        plan.fail(.snapshot, with: .io)
        context.processPendingChanges()
        #expect(throws: StoreError.self) { try controller.performFetch() }
        #expect(results.objects?.map(\.code) == ["a", "b"])
        plan.hold()
        let tasks = (0..<2).map { _ in Task { try await controller.performFetchOffOwner() } }
        await plan.waitForHeldCalls()
        #expect(results.objects?.map(\.code) == ["a", "b"])
        _ = context.insertQuake("c")
        let request = controller.fetchRequest
        controller.fetchRequest = FetchRequest<Quake>()
        #expect(throws: ContextError.self) { try controller.performFetch() }
        controller.fetchRequest = request
        plan.release()
        for task in tasks { try await task.value }
        #expect(await eventually { results.objects?.map(\.code) == ["a", "b", "c"] })
    }

    @Test(arguments: StoreKind.allCases)
    func withoutSectionsThereIsOneWithoutAName(kind: StoreKind) throws {
        let controller = controller(try seismology(kind))
        try controller.performFetch()
        let sections = try #require(controller.sections)
        #expect(sections.map(\.name) == [""] && sections[0].numberOfObjects == 6)
        #expect(sections[0].objects.map(\.code) == ["a1", "a2", "a3", "a4", "a5", "a6"])
        let nothing = self.controller(
            controller.managedObjectContext,
            FetchRequest<Quake>().where { $0.magnitude > 9 }.sorted(by: \.code))
        try nothing.performFetch()
        #expect(nothing.sections?.count == 1 && nothing.fetchedObjects?.isEmpty == true)
    }

    @Test(arguments: StoreKind.allCases)
    func indexPathsLeadToObjectsAndBack(kind: StoreKind) throws {
        let context = try seismology(kind)
        let controller = controller(context, bySection, sections: "region.name")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["r1", "r2", "r3"])
        let path = FetchedResultsIndexPath(row: 1, section: 2)
        #expect(controller.object(at: path).code == "a6")
        #expect(controller.indexPath(for: controller.object(at: path)) == path)
        #expect(path.description == "[2, 1]" && path.item == 1)
        let stranger = context.insertQuake("new")
        #expect(controller.indexPath(for: stranger) == nil)
    }

    @Test func sectionsAreNamedByATypedPath() throws {
        let context = try seismology()
        let controller = FetchedResultsController(
            fetchRequest: bySection, managedObjectContext: context,
            sectionedBy: { $0.region.name })
        #expect(controller.sectionNameKeyPath == "region.name")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["r1", "r2", "r3"])
        let own = try FetchedResults(
            FetchRequest<Quake>().sorted(by: \.code), in: context, sectionedBy: { $0.code })
        #expect(own.sections.map(\.name) == ["a1", "a2", "a3", "a4", "a5", "a6"])
        // Not sorted by it.
        #expect(throws: ContextError.self) {
            try FetchedResults(
                FetchRequest<Quake>().sorted(by: \.code), in: context,
                sectionedBy: { $0.depth })
        }
    }

    @Test func objectsAreThoseOfTheContext() throws {
        let context = try seismology()
        let known = try #require(try context.quake("a3"))
        known.magnitude = 7
        let controller = controller(context)
        try controller.performFetch()
        let objects = try #require(controller.fetchedObjects)
        #expect(objects[2] === known && objects.count == 6)
        #expect(objects.objectIDs == objects.map(\.objectID))
        // Made anew when it is reached, since nobody holds it.
        context.trim()
        #expect(objects[5].code == "a6")
        #expect(context.registeredObjects.count <= 2)
    }

    @Test func resultsThatWereTakenStayAsTheyWere() throws {
        let context = try seismology()
        let controller = controller(context)
        let probe = try ListProbe(controller)
        let objects = try #require(controller.fetchedObjects)
        let snapshot = try #require(controller.snapshot)
        let first = objects[0]
        context.delete(first)
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 5 && probe.batchCount == 1)
        #expect(objects.count == 6 && snapshot.numberOfItems == 6)
        #expect(snapshot.itemIdentifiers.first == first.objectID)
    }

    // MARK: - Refusals

    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as ContextError where error.code == .invalidRequest {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    @Test func aRequestNeedsAnOrderThatBringsSectionsTogether() throws {
        let context = try seismology()
        let unordered = controller(context, FetchRequest<Quake>())
        let unorderedMessage = refusal { try unordered.performFetch() }
        #expect(unorderedMessage?.contains("need an order") == true)
        for request in [
            FetchRequest<Quake>().sorted(by: \.code),
            FetchRequest<Quake>().sorted(
                by: FetchSortDescriptor("region.name", comparison: .caseInsensitive)),
        ] {
            let torn = controller(context, request, sections: "region.name")
            let message = refusal { try torn.performFetch() }
            #expect(message?.contains("Sort first by the attribute") == true)
        }
        // The second descriptor tells apart what the first does not.
        let folded = FetchRequest<Quake>()
            .sorted(by: FetchSortDescriptor("region.name", comparison: .caseInsensitive))
            .sorted(by: "region.name")
        try controller(context, folded, sections: "region.name").performFetch()
        let nowhere = controller(context, bySection, sections: "region.nonsense")
        let nowhereMessage = refusal { try nowhere.performFetch() }
        #expect(nowhereMessage != nil)
    }

    @Test func sectionsOfAClosureMustStandTogether() throws {
        let context = try seismology()
        let torn = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context,
            sectionName: { $0.region?.name ?? "" })
        let message = refusal { try torn.performFetch() }
        #expect(
            message?.hasPrefix(
                "The objects of one section are not next to each other. Sort first by ") == true)
        let whole = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.magnitude),
            managedObjectContext: context, sectionName: { $0.magnitude < 4 ? "weak" : "strong" })
        let probe = try ListProbe(whole, name: { $0.magnitude < 4 ? "weak" : "strong" })
        #expect(whole.sections?.map(\.name) == ["weak", "strong"])
        for object in try #require(whole.fetchedObjects) { object.magnitude = 5 }
        context.processPendingChanges()
        #expect(whole.sections?.map(\.name) == ["strong"])
        try probe.check("all are strong")
    }

    @Test func whatCannotBeBroughtUpToDateStaysAndIsReadAnewLater() throws {
        let context = try seismology()
        var isTorn = false
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context,
            sectionName: { isTorn ? $0.region?.name ?? "" : String($0.code.prefix(1)) })
        let watcher = ListWatcher()
        controller.delegate = watcher
        try controller.performFetch()
        isTorn = true
        let quake = controller.object(at: FetchedResultsIndexPath(row: 2, section: 0))
        quake.region = nil
        context.processPendingChanges()
        #expect(watcher.failures.count == 1 && watcher.batches.isEmpty)
        #expect(controller.sections?.map(\.name) == ["a"])
        isTorn = false
        quake.code = "b"
        context.processPendingChanges()
        #expect(controller.sections?.map(\.name) == ["a", "b"])
        #expect(watcher.batches.count == 1)
    }

    // MARK: - Index

    @Test func theIndexHasTheFirstLettersOfTheSections() throws {
        let context = try StoreKind.memory.container().viewContext
        for name in ["alpha", "arc", "beta", "éa", "gamma"] { _ = context.insertRegion(name) }
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Region>().sorted(by: \.name),
            managedObjectContext: context, sectionNameKeyPath: "name")
        try controller.performFetch()
        #expect(controller.sectionIndexTitles == ["A", "B", "G", "É"])
        #expect(controller.sections?.map(\.indexTitle) == ["A", "A", "B", "G", "É"])
        #expect(try controller.section(forSectionIndexTitle: "B", at: 1) == 2)
        #expect(try controller.section(forSectionIndexTitle: "É", at: 3) == 4)
        let message = refusal { _ = try controller.section(forSectionIndexTitle: "B", at: 0) }
        #expect(message?.contains("no title 'B' at 0") == true)
        let namer = IndexNamer()
        controller.delegate = namer
        #expect(controller.sectionIndexTitles == ["al", "ar", "be", "ga", "éa"])
    }

    // MARK: - Cache

    @Test(arguments: StoreKind.allCases)
    func whatIsKeptIsTakenAsLongAsNothingIsSaved(kind: StoreKind) throws {
        let context = try seismology(kind)
        let coordinator = context.persistentStoreCoordinator
        func fetch(
            _ limit: Int? = nil, _ name: String? = "quakes"
        ) throws -> (codes: [String], isRead: Bool) {
            var request = FetchRequest<Quake>().sorted(by: \.code)
            request.fetchLimit = limit
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, cacheName: name)
            let before = coordinator.store.counters.statements
            try controller.performFetch()
            let isRead = coordinator.store.counters.statements > before
            return (controller.fetchedObjects?.map(\.code) ?? [], isRead)
        }
        let all = ["a1", "a2", "a3", "a4", "a5", "a6"]
        #expect(try fetch() == (all, true))
        #expect(try fetch() == (all, false))
        // Another request of the same name reads, and so does the first one then.
        #expect(try fetch(2) == (["a1", "a2"], true))
        #expect(try fetch() == (all, true))
        // Unsaved changes take part, and are not kept.
        let quake = context.insertQuake("a0")
        #expect(try fetch() == (["a0"] + all, true))
        context.delete(quake)
        #expect(try fetch().codes == all)
        // A save makes another state.
        _ = context.insertQuake("a7")
        try context.save()
        #expect(try fetch() == (all + ["a7"], true))
        #expect(try fetch() == (all + ["a7"], false))
        coordinator.deleteFetchedResultsCache(withName: "stations")
        #expect(try fetch().isRead == false)
        coordinator.deleteFetchedResultsCache(withName: nil)
        #expect(try fetch().isRead)
        #expect(try fetch(nil, nil).isRead)
    }
}

/// Keeps what it is told, batch by batch.
final class ListWatcher: FetchedResultsControllerDelegate {
    typealias Object = Quake

    private(set) var batches: [[FetchedResultsChange]] = []
    private(set) var failures: [any Error] = []
    private(set) var resets = 0
    private var changes: [FetchedResultsChange] = []

    func controllerWillChangeContent(_ controller: FetchedResultsController<Quake>) {
        changes = []
    }

    func controller(
        _ controller: FetchedResultsController<Quake>, didChange object: Quake,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        changes.append(
            .init(
                kind: kind, objectID: object.objectID, indexPath: indexPath,
                newIndexPath: newIndexPath))
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Quake>) {
        batches.append(changes)
    }

    func controllerDidReset(_ controller: FetchedResultsController<Quake>) { resets += 1 }

    func controller(
        _ controller: FetchedResultsController<Quake>, didFailWith error: any Error
    ) {
        failures.append(error)
    }
}

private final class IndexNamer: FetchedResultsControllerDelegate {
    typealias Object = Region

    func controller(
        _ controller: FetchedResultsController<Region>, sectionIndexTitleForSectionName name: String
    ) -> String? {
        String(name.prefix(2))
    }
}
