import StoreTestSupport
import Testing

@testable import Duramen

/// What is told of a change, kind by kind.
@MainActor
@Suite(.serialized)
struct ListChangeTests {
    private struct Scene {
        let context: ManagedObjectContext
        let controller: FetchedResultsController<Quake>
        let watcher = ListWatcher()

        /// Quakes a1 to a6 of magnitudes 1 to 6, in regions r1, r2, r3, r1, r2, r3.
        @MainActor
        init(
            _ kind: StoreKind, _ request: FetchRequest<Quake>, sections: String? = nil
        ) throws {
            let context = try kind.container().viewContext
            self.context = context
            let regions = (1...3).map { number in context.insertRegion("r\(number)") }
            for number in 1...6 {
                _ = context.insertQuake(
                    "a\(number)", magnitude: Double(number), in: regions[(number - 1) % 3])
            }
            try context.save()
            controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: sections)
            controller.delegate = watcher
            try controller.performFetch()
        }

        func quake(_ code: String) throws -> Quake { try #require(try context.quake(code)) }

        /// What one unit of work brings: kind, old row and new row of each change.
        func changes(_ body: () throws -> Void) throws -> [String] {
            let count = watcher.batches.count
            try body()
            context.processPendingChanges()
            try #require(watcher.failures.isEmpty && watcher.batches.count <= count + 1)
            guard watcher.batches.count > count else { return [] }
            return watcher.batches[count].map { change in
                let paths = [change.indexPath, change.newIndexPath].map {
                    $0?.description ?? "-"
                }
                return "\(change.kind) \(paths[0]) \(paths[1])"
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMemberThatOthersInsertAndChangeBeforeTheMergeCounts(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertRegion("r1") }
        let context = container.viewContext
        let list = try FetchedResults(
            FetchRequest<Region>().where { $0.quakes.any { $0.magnitude > 5 } }.sorted(by: \.name),
            in: context)
        #expect(list.objects?.isEmpty == true)
        try container.saveElsewhere { other in
            _ = other.insertQuake(
                "a", magnitude: 6, in: try other.fetch(FetchRequest<Region>()).first)
        }
        try container.saveElsewhere { try $0.quake("a")?.depth = 3 }
        context.processPendingChanges()
        #expect(list.objects?.map(\.name) == ["r1"])
    }

    private let byMagnitude = FetchRequest<Quake>().sorted(by: \.magnitude)

    @Test(arguments: StoreKind.allCases)
    func aNewObjectIsAnInsertion(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude)
        let changes = try scene.changes { _ = scene.context.insertQuake("new", magnitude: 2.5) }
        #expect(changes == ["insert - [0, 2]"])
        // Its first save is no change, and neither is its permanent ID, which it has already.
        let id = try scene.quake("new").objectID
        #expect(!id.isTemporaryID)
        #expect(try scene.changes { try scene.context.save() } == [])
        #expect(try scene.quake("new").objectID == id)
        #expect(scene.controller.snapshot?.itemIdentifiers.contains(id) == true)
    }

    @Test(arguments: StoreKind.allCases)
    func anEditThatMakesItMatchIsAnInsertionAndTheOtherWayADeletion(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude.where { $0.magnitude > 3 })
        let quake = try scene.quake("a1")
        #expect(try scene.changes { quake.magnitude = 5.5 } == ["insert - [0, 2]"])
        #expect(try scene.changes { quake.magnitude = 2 } == ["delete [0, 2] -"])
        #expect(try scene.changes { quake.magnitude = 1 } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func anEditInPlaceIsAnUpdateAndOneThatMovesAMove(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude)
        let quake = try scene.quake("a2")
        #expect(try scene.changes { quake.depth = 3 } == ["update [0, 1] [0, 1]"])
        #expect(try scene.changes { quake.magnitude = 2.5 } == ["update [0, 1] [0, 1]"])
        #expect(try scene.changes { quake.magnitude = 4.5 } == ["move [0, 1] [0, 3]"])
        #expect(try scene.changes { quake.magnitude = quake.magnitude } == [])
        #expect(try scene.changes { scene.context.delete(quake) } == ["delete [0, 3] -"])
        #expect(try scene.changes { scene.context.rollback() } == ["insert - [0, 1]"])
    }

    @Test(arguments: StoreKind.allCases)
    func anUnsavedNewObjectThatIsEditedAgainIsAnUpdate(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude)
        let quake = scene.context.insertQuake("new", magnitude: 9)
        scene.context.processPendingChanges()
        #expect(try scene.changes { quake.depth = 4 } == ["update [0, 6] [0, 6]"])
    }

    /// Rows that only make room are not told of, and those that are have both coordinates.
    @Test(arguments: StoreKind.allCases)
    func placesAreThoseBeforeAndAfterAllChanges(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude)
        let (first, third) = (try scene.quake("a1"), try scene.quake("a3"))
        let changes = try scene.changes {
            scene.context.delete(first)
            third.depth = 1
            _ = scene.context.insertQuake("new", magnitude: 2.2)
            _ = scene.context.insertQuake("newer", magnitude: 2.3)
        }
        #expect(
            changes == [
                "delete [0, 0] -", "insert - [0, 1]", "insert - [0, 2]", "update [0, 2] [0, 3]",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func aMoveAcrossSectionsIsOneMoveAndSectionsComeAndGo(kind: StoreKind) throws {
        let request = FetchRequest<Quake>().sorted(by: "region.name").sorted(by: \.magnitude)
        let scene = try Scene(kind, request, sections: "region.name")
        let probe = try ListProbe(scene.controller, name: { $0.region?.name ?? "" })
        scene.controller.delegate = scene.watcher
        let quake = try scene.quake("a1")
        let second = try scene.quake("a2").region
        #expect(try scene.changes { quake.region = second } == ["move [0, 0] [1, 0]"])
        let fourth = try scene.quake("a4")
        // The last row of its section.
        #expect(try scene.changes { fourth.region = second } == ["move [0, 0] [0, 2]"])
        #expect(scene.controller.sections?.map(\.name) == ["r2", "r3"])
        #expect(probe.failures.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func anotherNameOfARegionMovesItsQuakes(kind: StoreKind) throws {
        let request = FetchRequest<Quake>().where { $0.region.name != "r9" }
            .sorted(by: "region.name").sorted(by: \.magnitude)
        let scene = try Scene(kind, request, sections: "region.name")
        let region = try #require(try scene.quake("a1").region)
        let changes = try scene.changes { region.name = "r4" }
        #expect(changes == ["move [0, 0] [2, 0]", "move [0, 1] [2, 1]"])
        #expect(scene.controller.sections?.map(\.name) == ["r2", "r3", "r4"])
        // From elsewhere, where neither the region nor its quakes are registered here.
        try scene.context.save()
        let id = region.objectID
        let other = ManagedObjectContext(parent: scene.context)
        other.object(with: id, as: Region.self).name = "r9"
        let left = try scene.changes { try other.save() }
        #expect(left == ["delete [2, 0] -", "delete [2, 1] -"])
    }

    @Test(arguments: StoreKind.allCases)
    func aWindowIsKeptExactly(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude.offset(1).limit(3))
        #expect(scene.controller.fetchedObjects?.map(\.code) == ["a2", "a3", "a4"])
        let new = scene.context.insertQuake("new", magnitude: 0.5)
        let shifted = try scene.changes {}
        #expect(shifted == ["delete [0, 2] -", "insert - [0, 0]"])
        #expect(scene.controller.fetchedObjects?.map(\.code) == ["a1", "a2", "a3"])
        #expect(
            try scene.changes { scene.context.delete(new) }
                == ["delete [0, 0] -", "insert - [0, 2]"])
        #expect(try scene.changes { try scene.quake("a6").magnitude = 7 } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingAllGivesUpdatesOfWhatIsKnown(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude)
        let held = [try scene.quake("a2"), try scene.quake("a5")]
        scene.context.trim()
        let changes = try scene.changes { try scene.context.refreshAllObjects() }
        #expect(changes == ["update [0, 1] [0, 1]", "update [0, 4] [0, 4]"])
        #expect(held[0].isFault && held[1].isFault)
    }

    @Test(arguments: StoreKind.allCases)
    func aResetIsToldAndResultsAreGoneUntilTheyAreFetchedAgain(kind: StoreKind) throws {
        let scene = try Scene(kind, byMagnitude)
        #expect(try scene.changes { scene.context.reset() } == [])
        #expect(scene.watcher.resets == 1 && scene.controller.fetchedObjects == nil)
        try scene.controller.performFetch()
        #expect(scene.controller.fetchedObjects?.count == 6)
        #expect(
            try scene.changes { try scene.quake("a1").magnitude = 9 } == ["move [0, 0] [0, 5]"])
    }

    @Test(arguments: StoreKind.allCases)
    func savesOfOthersAreToldWithoutReading(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        for number in 1...64 {
            _ = context.insertQuake("a\(number + 100)", magnitude: Double(number))
        }
        try context.save()
        context.reset()
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().where { $0.magnitude < 100 }
                .sorted(by: \.magnitude), managedObjectContext: context)
        let probe = try ListProbe(controller)
        try container.saveElsewhere { other in
            for code in 110...119 { try other.quake("a\(code)")?.magnitude += 10.5 }
            _ = other.insertQuake("b", magnitude: 30)
            if let quake = try other.quake("a164") { other.delete(quake) }
            try other.quake("a163")?.magnitude = 200
        }
        let statements = container.persistentStoreCoordinator.store.counters.statements
        let comparisons = controller.comparisonCount
        context.processPendingChanges()
        // 13 rows of 64: four times k log n.
        let bound = 4 * 13 * 6
        #expect(container.persistentStoreCoordinator.store.counters.statements == statements)
        #expect(controller.comparisonCount - comparisons <= bound)
        try probe.check("after a save of somebody else")
    }

    @Test("What others saved without saying what costs keys, versions and the rows that are others")
    func comparingVersions() throws {
        let container = try StoreKind.sqlite.container()
        let context = container.makeContext()
        for number in 0..<400 {
            _ = context.insertQuake("a\(number)", magnitude: Double(number % 40))
        }
        try context.save()
        let probe = try ListProbe(
            FetchedResultsController(
                fetchRequest: FetchRequest<Quake>().where { $0.magnitude >= 10 }
                    .sorted(by: \.code), managedObjectContext: context))
        let edited = try #require(try context.quake("a20"))
        edited.depth = 7
        let deleted = try #require(try context.quake("a21"))
        context.delete(deleted)
        _ = context.insertQuake("mine", magnitude: 12)
        context.processPendingChanges()
        let before = probe.batchCount
        let counters = container.persistentStoreCoordinator.store.counters

        context.automaticallyMergesChangesFromParent = false
        try container.saveElsewhere { other in
            try other.quake("a11")?.magnitude = 12
            try other.quake("a12")?.magnitude = 1
            try other.quake("a0")?.magnitude = 30
            if let quake = try other.quake("a13") { other.delete(quake) }
            _ = other.insertQuake("new", magnitude: 11)
        }
        context.automaticallyMergesChangesFromParent = true
        let statements = counters.statements
        let comparisons = probe.controller.comparisonCount
        context.main.inbox.post(nil)
        context.processPendingChanges()
        #expect(probe.batchCount == before + 1)
        #expect(edited.depth == 7 && edited.isUpdated)
        // Objects that are held; what is deleted here leads to; keys and versions; the rows that
        // are others.
        #expect(counters.statements - statements <= 4)
        // A list that is read anew has made none. Seven objects at most.
        let more = probe.controller.comparisonCount - comparisons
        #expect(comparisons > 0 && more > 0 && more <= 4 * 7 * 9)
        try probe.check("after a save of nobody knows what")
        #expect(probe.controller.fetchedObjects?.contains { $0.code == "a11" } == true)
        #expect(probe.controller.fetchedObjects?.contains { $0.code == "a12" } == false)
    }

    @Test(arguments: StoreKind.allCases)
    func versionsAreNotReadToTheEndWhereMostRowsChanged(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let count = 4_000
        for number in 0..<count {
            _ = context.insertQuake("a\(number)", magnitude: Double(number))
        }
        try context.save()
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.magnitude),
            managedObjectContext: context)
        let follower = try ContentFollower(controller)
        context.trim()
        context.automaticallyMergesChangesFromParent = false
        try container.saveElsewhere { other in
            for quake in try other.fetch(FetchRequest<Quake>()) { quake.magnitude *= -1 }
        }
        context.automaticallyMergesChangesFromParent = true
        let counters = container.persistentStoreCoordinator.store.counters
        let decoded = counters.rowsDecoded
        context.main.inbox.post(nil)
        context.processPendingChanges()
        #expect(follower.batchCount == 1)
        #expect(counters.rowsDecoded - decoded < count + count / 2)
        #expect(controller.fetchedObjects?.last?.magnitude == 0)
    }

    @Test("A rule that will refuse a deletion does not hide it", arguments: StoreKind.allCases)
    func refusedDeletions(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("North")
        try context.save()
        let station = Station(context: context)
        station.region = region
        station.backup = station
        let request = FetchRequest<Station>().where { $0.backup.region.name == "North" }
        let list = try FetchedResults(request.sorted(by: \.callSign), in: context)
        #expect(list.objects?.count == 1)
        // Its stations deny it, so that the station still refers to it.
        context.delete(region)
        context.processPendingChanges()
        #expect(try context.count(for: request) == 0)
        #expect(list.objects?.count == 0)
    }
}
