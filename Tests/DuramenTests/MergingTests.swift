import Duramen
import Testing

/// What one context saves reaches the others between their units of work.
@MainActor
@Suite(.serialized)
struct MergingTests {
    @Test(arguments: StoreKind.allCases)
    func theViewContextTakesOverWhatABackgroundContextSaves(kind: StoreKind) async throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try await container.performBackgroundTask { background in
            try background.quake("us1")?.magnitude = 2
            try background.save()
        }
        #expect(await eventually { quake.magnitude == 2 })
        #expect(!context.hasChanges)
        quake.magnitude = 3
        try context.save()
    }

    @Test func aBackgroundContextTakesOverWhatTheViewContextSaves() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        let id = quake.objectID
        let background = container.newBackgroundContext()
        let keeper = Keeper()
        try await background.perform { keeper.keep(try $0.existingObject(with: id)) }
        quake.magnitude = 2
        try context.save()
        let magnitude = await background.perform { context in
            (context.registeredObject(for: id) as? Quake)?.magnitude
        }
        #expect(magnitude == 2)
    }

    @Test func anIdleActorThatAttachedItselfSeesSaves() async throws {
        let container = try makeContainer()
        let actor = AttachedWatcher(container)
        try await watch(actor, container)
    }

    @Test func anIdleActorIsKnownFromItsFirstFetch() async throws {
        let container = try makeContainer()
        let actor = FetchingWatcher(container)
        try await watch(actor, container)
    }

    private func watch(_ actor: some Watcher, _ container: PersistentContainer) async throws {
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try await actor.load()
        quake.magnitude = 2
        try context.save()
        // The actor does nothing by itself: the save alone makes it merge.
        var magnitude = 0.0
        var patience = Patience()
        while magnitude != 2, patience.isLeft {
            magnitude = await actor.magnitude
            await Task.yield()
        }
        #expect(magnitude == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func dirtyObjectsTakeOverWhatWasNotEditedHere(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        quake.magnitude = 3
        try container.saveElsewhere { try $0.quake("us1")?.depth = 20 }
        context.processPendingChanges()
        #expect(quake.magnitude == 3 && quake.depth == 20 && quake.isUpdated)
        try context.save()
        try container.saveElsewhere { (other: ManagedObjectContext) throws in
            #expect(try other.quake("us1")?.magnitude == 3)
            #expect(try other.quake("us1")?.depth == 20)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatWasEditedOnBothSidesStillConflicts(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        quake.magnitude = 3
        try container.saveElsewhere { other in
            try other.quake("us1")?.magnitude = 2
            try other.quake("us1")?.depth = 20
        }
        // A second save elsewhere, of something else, must not hide the first.
        try container.saveElsewhere { try $0.quake("us1")?.status = .reviewed }
        context.processPendingChanges()
        #expect(quake.magnitude == 3)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.first?.base?["magnitude"] == .double(1))
        #expect(error.conflicts.first?.stored?["magnitude"] == .double(2))
        context.rollback()
        #expect(quake.magnitude == 2 && quake.depth == 20 && quake.status == .reviewed)
        quake.magnitude = 4
        try context.save()
    }

    @Test func anObjectDeletedThereAndEditedHereConflicts() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        quake.magnitude = 3
        try container.saveElsewhere { other in try other.quake("us1").map(other.delete) }
        context.processPendingChanges()
        #expect(quake.magnitude == 3 && !quake.isDeleted)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.first?.stored == nil)
        context.rollback()
        #expect(quake.isDeleted && !context.hasChanges)
    }

    @Test func anObjectEditedThereAndDeletedHereConflicts() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        context.delete(quake)
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        context.processPendingChanges()
        #expect(quake.isDeleted)
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.rollback()
        #expect(quake.magnitude == 2)
        context.delete(quake)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func newObjectsEnterKnownToManys(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let quake = context.insertQuake("us1", in: north)
        try context.save()
        #expect(north.quakes.count == 1 && south.quakes.isEmpty)
        try container.saveElsewhere { other in
            let regions = try other.fetch(FetchRequest<Region>().sorted(by: \.name))
            _ = other.insertQuake("us2", in: regions[0])
            try other.quake("us1")?.region = regions[1]
        }
        context.processPendingChanges()
        #expect(north.quakes.map(\.code) == ["us2"] && Array(south.quakes) == [quake])
        #expect(quake.region === south && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func manyToManyPairsFollow(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let (felt, large) = (context.insertTag("felt"), context.insertTag("large"))
        let quake = context.insertQuake("us1")
        quake.tags.insert(felt)
        try context.save()
        #expect(large.quakes.isEmpty && felt.quakes.count == 1 && quake.tags.count == 1)
        try container.saveElsewhere { other in
            let tags = try other.fetch(FetchRequest<Tag>().sorted(by: \.name))
            let quake = try #require(try other.quake("us1"))
            quake.tags.remove(tags[0])
            quake.tags.insert(tags[1])
            tags[1].quakes.insert(other.insertQuake("us2"))
        }
        context.processPendingChanges()
        #expect(Array(quake.tags) == [large] && felt.quakes.isEmpty)
        #expect(Set(large.quakes.map(\.code)) == ["us1", "us2"])
    }

    @Test(arguments: StoreKind.allCases)
    func deletionsLeaveKnownToManysAndMarkWhatIsHeld(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let (region, tag) = (context.insertRegion("North"), context.insertTag("felt"))
        let (held, dropped) = (
            context.insertQuake("us1", magnitude: 4, in: region), context.insertQuake("us2")
        )
        held.tags.insert(tag)
        dropped.tags.insert(tag)
        try context.save()
        #expect(region.quakes.count == 1 && tag.quakes.count == 2)
        try container.saveElsewhere { other in
            for quake in try other.fetch(FetchRequest<Quake>()) { other.delete(quake) }
        }
        context.processPendingChanges()
        #expect(region.quakes.isEmpty && tag.quakes.isEmpty)
        #expect(held.isDeleted && held.magnitude == 4)
        #expect(context.deletedObjects.contains(held) && !context.hasChanges)
        region.name = "Far North"
        try context.save()
        #expect(context.deletedObjects.isEmpty && !held.isDeleted)
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: [false, true])
    func aNewReferenceToWhatIsDeletedThereConflicts(isMerged: Bool) throws {
        let container = try makeContainer()
        let context = container.viewContext
        let (region, tag) = (context.insertRegion("North"), context.insertTag("felt"))
        let quake = context.insertQuake("us1")
        try context.save()
        quake.region = region
        quake.tags.insert(tag)
        let ids = [region.objectID, tag.objectID]
        try container.saveElsewhere { other in
            for id in ids { other.delete(try other.existingObject(with: id)) }
        }
        if isMerged { context.processPendingChanges() }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(Set(error.conflicts.map(\.objectID)) == Set(ids))
        #expect(error.conflicts.allSatisfy { $0.kind == .version && $0.stored == nil })
        quake.region = nil
        quake.tags.remove(tag)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>().where { $0.region == nil }) == 1)
    }

    @Test(arguments: [false, true])
    func aDeletionReachesWhatOthersAddMeanwhileOrConflicts(isMerged: Bool) throws {
        let container = try makeContainer()
        let context = container.viewContext
        let region = context.insertRegion("North")
        try context.save()
        context.delete(region)
        #expect(try context.count(for: FetchRequest<Region>()) == 0)
        try container.saveElsewhere { other in
            _ = other.insertQuake("us1", in: try other.fetch(FetchRequest<Region>()).first)
        }
        if !isMerged {
            let error = try #require(throws: SaveConflictError.self) { try context.save() }
            #expect(error.conflicts.map(\.objectID) == [region.objectID])
            context.processPendingChanges()
        } else {
            context.processPendingChanges()
        }
        // The rule of the relationship is to cascade.
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test func whatNobodyHoldsIsForgottenWhenItIsDeletedElsewhere() throws {
        let container = try makeContainer()
        let context = container.viewContext
        for number in 0..<10 { _ = context.insertQuake("us\(number)") }
        try context.save()
        try container.saveElsewhere { other in
            for quake in try other.fetch(FetchRequest<Quake>()) { other.delete(quake) }
        }
        context.processPendingChanges()
        #expect(context.registeredObjects.isEmpty && context.deletedObjects.isEmpty)
    }

    @Test func withoutMergingTheContextKeepsWhatItRead() async throws {
        let container = try makeContainer(
            options: ContextOptions(automaticallyMergesChangesFromParent: false))
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try await container.performBackgroundTask { background in
            try background.quake("us1")?.magnitude = 2
            try background.save()
        }
        context.processPendingChanges()
        for _ in 0..<100 { await Task.yield() }
        #expect(quake.magnitude == 1)
        // Fetching does not change what is registered, unless it is asked to.
        #expect(try context.quake("us1")?.magnitude == 1)
        var request = FetchRequest<Quake>()
        request.shouldRefreshRefetchedObjects = true
        #expect(try context.fetch(request).first?.magnitude == 2)
    }

    @Test func aRefreshingFetchMovesObjectsAmongToManys() throws {
        let container = try makeContainer(
            options: ContextOptions(automaticallyMergesChangesFromParent: false))
        let context = container.viewContext
        let honshu = context.insertRegion("Honshu")
        let kyushu = context.insertRegion("Kyushu")
        let felt = context.insertTag("felt")
        let quake = context.insertQuake("us1", in: honshu)
        try context.save()
        #expect(Array(honshu.quakes) == [quake])
        #expect(kyushu.quakes.isEmpty && quake.tags.isEmpty && felt.quakes.isEmpty)
        let (kyushuID, feltID) = (kyushu.objectID, felt.objectID)
        try container.saveElsewhere { other in
            let quake = try other.quake("us1")
            quake?.region = other.object(with: kyushuID, as: Region.self)
            quake?.tags.insert(other.object(with: feltID, as: Tag.self))
        }
        var request = FetchRequest<Quake>()
        request.shouldRefreshRefetchedObjects = true
        #expect(try context.fetch(request).first?.region === kyushu)
        #expect(honshu.quakes.isEmpty)
        #expect(Array(kyushu.quakes) == [quake])
        #expect(Array(quake.tags) == [felt])
    }

    @Test func nothingIsMergedInsideOfFetchOrSave() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        #expect(try context.quake("us1")?.magnitude == 1)
        _ = context.insertQuake("us2")
        try context.save()
        #expect(quake.magnitude == 1)
        context.processPendingChanges()
        #expect(quake.magnitude == 2)
    }

    @Test func mergedObjectsCanBeRefreshedInAFetchWithPendingChanges() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        _ = context.insertQuake("us2")
        var request = FetchRequest<Quake>().sorted(by: \.code)
        request.shouldRefreshRefetchedObjects = true
        #expect(try context.fetch(request).map(\.magnitude) == [2, 1])
        #expect(quake.magnitude == 2)
    }
}

/// Keeps an object registered while nothing else holds it.
// Sound: used by the one background context of its test only.
private final class Keeper: @unchecked Sendable {
    private var object: ManagedObject?

    func keep(_ object: ManagedObject) { self.object = object }
}

private protocol Watcher: Actor {
    func load() throws
    var magnitude: Double { get }
}

private actor AttachedWatcher: Watcher {
    private let context: ManagedObjectContext
    private var quake: Quake?

    init(_ container: PersistentContainer) {
        context = container.makeContext()
        context.attach(to: self)
    }

    func load() throws {
        // Without an isolation, so that only attach(to:) can have told the owner.
        let id = try context.fetchObjectIDs(FetchRequest<Quake>(), isolation: nil)[0]
        quake = try context.existingObject(with: id, as: Quake.self)
    }

    var magnitude: Double { quake?.magnitude ?? 0 }
}

private actor FetchingWatcher: Watcher {
    private let context: ManagedObjectContext
    private var quake: Quake?

    init(_ container: PersistentContainer) { context = container.makeContext() }

    func load() throws { quake = try context.fetch(FetchRequest<Quake>()).first }

    var magnitude: Double { quake?.magnitude ?? 0 }
}
