import Foundation
import StoreTestSupport
import Testing

@testable import Duramen

/// What is written as people from Core Data write it, and means what they expect.
@MainActor @Suite(.serialized) struct CoreDataSpellingTests {
    /// Quakes q0 to q4 of magnitudes 0 to 4.
    private func filled(_ kind: StoreKind = .memory) throws -> ManagedObjectContext {
        let context = try kind.container().viewContext
        for number in 0..<5 { _ = context.insertQuake("q\(number)", magnitude: Double(number)) }
        try context.save()
        return context
    }

    @Test func ordersAreWrittenWithTheirLabels() {
        let magnitude = FetchSortDescriptor("magnitude", ascending: false)
        #expect(FetchSortDescriptor(key: "magnitude", ascending: false) == magnitude)
        #expect(FetchSortDescriptor(keyPath: \Quake.magnitude, ascending: false) == magnitude)
        #expect(
            FetchSortDescriptor(keyPath: \Quake.depth, ascending: true)
                == FetchSortDescriptor("depth"))
        let folded = FetchSortDescriptor(
            key: "code", ascending: true, comparison: .localizedStandard)
        #expect(folded == FetchSortDescriptor("code", comparison: .localizedStandard))
        let request = FetchRequest<Quake>().sorted(by: \.magnitude, ascending: false)
            .sorted(by: \.depth, ascending: true).sorted(by: "code", ascending: false)
        #expect(
            request.sortDescriptors == [
                magnitude, FetchSortDescriptor("depth"),
                FetchSortDescriptor("code", ascending: false),
            ])
        let results = FetchRequest<Quake>().dictionaries("code").sorted(
            by: "code", ascending: false)
        #expect(results.request.sortDescriptors == [FetchSortDescriptor("code", ascending: false)])
    }

    @Test(arguments: StoreKind.allCases)
    func batchesAreInsertedIntoAnEntity(kind: StoreKind) throws {
        let context = try filled(kind)
        let entity = try #require(Seismology.model.entity(named: "Quake"))
        let rows: [[String: any Sendable]] = [["code": "a", "magnitude": 7.5], ["code": "b"]]
        #expect(try context.execute(BatchInsertRequest(entity: entity, objects: rows)).count == 2)
        let more: [[String: any Sendable]] = [["code": "c"]]
        try context.execute(BatchInsertRequest<Quake>(entity: entity, objects: more))
        try context.execute(BatchInsertRequest(entityName: "Region", objects: [["name": "r"]]))
        #expect(try context.quake("a")?.magnitude == 7.5)
        #expect(try context.quake("c") != nil)
        #expect(try context.count(for: FetchRequest<Region>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func batchesAreDeletedByTheirFetchRequest(kind: StoreKind) throws {
        let context = try filled(kind)
        let old = FetchRequest<Quake>().where { $0.magnitude < 3 }
        #expect(try context.execute(BatchDeleteRequest(fetchRequest: old)).count == 3)
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func literalsAreValuesOfABatchUpdate(kind: StoreKind) throws {
        let context = try filled(kind)
        let name = "q"
        var request = BatchUpdateRequest<Quake>().where { $0.magnitude == 4 }
        request.propertiesToUpdate = [
            "code": "\(name)-new", "magnitude": 9, "depth": 2.5, "status": "reviewed",
        ]
        try context.execute(request)
        let quake = try #require(try context.quake("q-new"))
        #expect(quake.magnitude == 9 && quake.depth == 2.5 && quake.status == .reviewed)
        request = BatchUpdateRequest<Quake>().where { $0.magnitude == 9 }
        request.propertiesToUpdate = ["depth": .null]
        try context.execute(request)
        try context.refreshAllObjects()
        #expect(quake.depth == nil)
        #expect(FetchExpression.constant(.boolean(true)) == true)
    }

    @Test func aLimitOfZeroGivesNothing() throws {
        let context = try filled()
        #expect(try context.fetch(FetchRequest<Quake>().limit(0)) == [])
        #expect(try context.count(for: FetchRequest<Quake>().limit(0)) == 0)
    }

    @Test func resultsForViewsTakeTheLabelsOfTheirController() throws {
        let context = try filled()
        let results = try FetchedResults(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.magnitude, ascending: false),
            managedObjectContext: context)
        #expect(results.objects?.map(\.code) == ["q4", "q3", "q2", "q1", "q0"])
        let sections = try FetchedResults(
            fetchRequest: FetchRequest<Quake>().sorted(by: "code", ascending: true),
            managedObjectContext: context, sectionNameKeyPath: "code")
        #expect(sections.sections.count == 5)
    }

    @Test func cachesAreDeletedWithoutACoordinator() throws {
        let context = try filled()
        let other = try filled()
        func fetch(_ name: String, in context: ManagedObjectContext) throws {
            try FetchedResultsController(
                fetchRequest: FetchRequest<Quake>().sorted(by: \.code),
                managedObjectContext: context, cacheName: name
            ).performFetch()
        }
        func names(_ context: ManagedObjectContext) -> Set<String> {
            context.persistentStoreCoordinator.cachedLists.withLock { Set($0.keys.map(\.string)) }
        }
        for context in [context, other] {
            try fetch("list", in: context)
            try fetch("other", in: context)
        }
        #expect(names(context) == ["list", "other"])
        FetchedResultsController.deleteCache(withName: "list")
        #expect(names(context) == ["other"] && names(other) == ["other"])
        FetchedResultsController<Quake>.deleteCache(withName: nil)
        #expect(names(context) == [] && names(other) == [])
    }

    @Test func whatASaveWroteBecomesAListOfChanges() async throws {
        let container = try StoreKind.memory.container()
        let context = container.viewContext
        let reader = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let quake = context.insertQuake("a")
        try context.save()
        let known = try #require(try reader.quake("a"))
        let saves = container.notifications()
        quake.magnitude = 8
        try context.save()
        var listener = saves.makeAsyncIterator()
        guard case .didSave(let saved)? = await listener.next() else {
            Issue.record("no save was told")
            return
        }
        let changes = ChangedObjectIDs(saved)
        #expect(changes == ChangedObjectIDs(updated: [quake.objectID]))
        reader.mergeChanges(fromContextDidSave: changes)
        #expect(known.magnitude == 8)
    }

    @Test(arguments: StoreKind.allCases)
    func toManysAreAskedAndAppendedToWithoutReadingObjects(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let region = context.insertRegion("Honshu")
        let quakes = (0..<3).map { context.insertQuake("q\($0)") }
        region.quakes.append(quakes[0])
        region.quakes.append(contentsOf: quakes.dropFirst())
        let tag = context.insertTag("felt")
        quakes[0].tags.append(tag)
        try context.save()
        #expect(tag.quakes.map(\.code) == ["q0"])
        let reader = container.makeContext()
        let found = try #require(try reader.fetch(FetchRequest<Region>()).first)
        let ids = quakes.map(\.objectID)
        let faults = container.persistentStoreCoordinator.faultCount
        #expect(!found.quakes.isEmpty && found.quakes.count == 3)
        #expect(found.quakes.contains(ids[2]) && !found.quakes.contains(tag.objectID))
        #expect(container.persistentStoreCoordinator.faultCount == faults + 1)
        #expect(reader.registeredObjects.count == 1)
        #expect(found.stations.isEmpty && found.stations.count == 0)
    }

    @Test func aDelegateOfSnapshotsNeedNotNameItsClass() throws {
        final class Counter: FetchedResultsSnapshotDelegate {
            var counts: [Int] = []
            func controller(
                _ controller: FetchedResultsController<Quake>,
                didChangeContentWith snapshot: FetchedResultsSnapshot
            ) { counts.append(snapshot.numberOfItems) }
        }
        final class General: FetchedResultsSnapshotDelegate {
            var count = 0
            func controller(
                _ controller: FetchedResultsController<ManagedObject>,
                didChangeContentWith snapshot: FetchedResultsSnapshot
            ) { count += 1 }
        }
        final class Difference: FetchedResultsDifferenceDelegate {
            var count = 0
            func controller(
                _ controller: FetchedResultsController<Quake>,
                didChangeContentWith difference: CollectionDifference<ManagedObjectID>
            ) { count += difference.count }
        }
        let context = try filled()
        let request = FetchRequest<Quake>().sorted(by: \.code)
        let (counter, general, difference) = (Counter(), General(), Difference())
        let first = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
        first.delegate = counter
        let second = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
        second.delegate = difference
        let third = FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(entityName: "Quake").sorted(by: "code"),
            managedObjectContext: context)
        third.delegate = general
        try first.performFetch()
        try second.performFetch()
        try third.performFetch()
        _ = context.insertQuake("q9")
        context.processPendingChanges()
        #expect(counter.counts.last == 6 && general.count == 1 && difference.count == 1)
    }

    @Test func predicatesTakeTheLabelOfCoreData() throws {
        let typed = try FetchPredicate("magnitude > %@ AND place == %@", 6, "Chile")
        #expect(
            try FetchPredicate(format: "magnitude > %@ AND place == %@", 6, "Chile") == typed)
        #expect(try FetchPredicate(format: "magnitude > 6") == FetchPredicate("magnitude > 6"))
    }

    @Test func everyErrorShowsItsTextAsALocalizedDescription() {
        let errors: [any Error & CustomStringConvertible] = [
            StoreError(.io, "The disk is gone."), ContextError(.unknownName, "No such name."),
            ModelError(mistakes: [
                .init(.init(rawValue: "invalidName"), entity: "Quake", "No such name.")
            ]),
        ]
        for error in errors {
            #expect((error as any Error).localizedDescription == error.description)
        }
        #expect(throws: PredicateFormatError.self) { try FetchPredicate("a ==") }
        do { _ = try FetchPredicate("a ==") } catch {
            #expect((error as any Error).localizedDescription == error.description)
        }
    }
}
