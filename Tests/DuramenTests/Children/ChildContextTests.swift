import Duramen
import Testing

/// A child shows what its parent has, and saves into it.
@MainActor
@Suite(.serialized)
struct ChildContextTests {
    let codes = { (context: ManagedObjectContext) in
        try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).codes
    }

    @Test(arguments: StoreKind.allCases)
    func aChildShowsWhatItsParentHasAndHasNotSaved(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("Honshu")
        for code in ["a", "b", "c"] { _ = context.insertQuake(code, magnitude: 1, in: region) }
        try context.save()
        try #require(try context.quake("a")).magnitude = 5
        context.delete(try #require(try context.quake("b")))
        let new = context.insertQuake("d", magnitude: 7, in: region)

        let child = ManagedObjectContext(parent: context)
        #expect(child.parent === context)
        #expect(try codes(child) == "acd")
        let strong = FetchRequest<Quake>().where { $0.magnitude >= 5 }
            .sorted(by: \.magnitude, .descending)
        #expect(try child.fetch(strong).codes == "da")
        #expect(try child.count(for: strong) == 2)
        #expect(try child.fetch(strong.offset(1).limit(1)).codes == "a")
        #expect(try child.fetchObjectIDs(strong).first == new.objectID)
        let honshu = try #require(try child.fetch(FetchRequest<Region>()).first)
        #expect(honshu !== region)
        #expect(honshu.quakes.map(\.code).sorted() == ["a", "c", "d"])
        let copy = try child.existingObject(with: new.objectID, as: Quake.self)
        #expect(copy.objectID.isTemporaryID && !copy.isInserted && copy.region === honshu)
        #expect(!child.hasChanges)
        #expect(
            try child.fetch(FetchRequest<Quake>().where { $0.region.name == "Honshu" }).count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveMovesChangesOneLevel(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        let doomed = context.insertQuake("b")
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let region = child.insertRegion("Honshu")
        let edited = try #require(try child.quake("a"))
        edited.magnitude = 6
        edited.region = region
        child.delete(try #require(try child.quake("b")))
        let new = child.insertQuake("c", magnitude: 3, in: region)
        #expect(!context.hasChanges && quake.magnitude == 1)

        try child.save()
        #expect(!child.hasChanges && !new.isInserted && new.objectID.isTemporaryID)
        #expect(quake.magnitude == 6 && quake.region?.name == "Honshu" && quake.isUpdated)
        #expect(doomed.isDeleted)
        #expect(context.insertedObjects.count == 2)
        #expect(quake.region?.quakes.map(\.code).sorted() == ["a", "c"])
        #expect(try codes(container.makeContext()) == "ab")

        try context.save()
        #expect(try codes(container.makeContext()) == "ac")
        let other = container.makeContext()
        let stored = try #require(try other.quake("a"))
        #expect(stored.magnitude == 6 && stored.region?.name == "Honshu")
    }

    @Test func whatAChildWasNotToldToSaveIsGoneWithIt() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        do {
            let child = ManagedObjectContext(parent: context)
            try #require(try child.quake("a")).magnitude = 9
            _ = child.insertQuake("b")
        }
        #expect(quake.magnitude == 1 && !context.hasChanges)
        #expect(try codes(context) == "a")
    }

    @Test func whereBothEditedTheChildsPropertyGoesAndTheParentsOthersStay() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        let child = ManagedObjectContext(
            parent: context, options: ContextOptions(automaticallyMergesChangesFromParent: false))
        let mine = try #require(try child.quake("a"))
        mine.magnitude = 2
        quake.magnitude = 3
        quake.depth = 30
        context.processPendingChanges()
        #expect(mine.depth == nil)
        try child.save()
        #expect(quake.magnitude == 2 && quake.depth == 30)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatTheParentDeletedIsAConflictThatMovesNothing(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        let region = context.insertRegion("Honshu")
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.quake("a"))
        mine.magnitude = 2
        let id = try #require(try child.fetch(FetchRequest<Region>()).first).objectID
        _ = child.insertQuake("b", in: child.object(with: id, as: Region.self))
        context.delete(quake)
        context.delete(region)
        let error = #expect(throws: SaveConflictError.self) { try child.save() }
        #expect(Set(error?.conflicts.map(\.objectID) ?? []) == [quake.objectID, id])
        #expect(error?.conflicts.allSatisfy { $0.stored == nil } == true)
        #expect(child.hasChanges && context.insertedObjects.isEmpty)
        child.rollback()
        context.processPendingChanges()
        #expect(mine.isDeleted)
        try child.save()
        try context.save()
        #expect(try codes(child) == "")
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func whatAChildInsertsAgainIsThere(kind: StoreKind, deletesToo: Bool) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.quake("a"))
        mine.magnitude = 2
        try container.saveElsewhere { other in other.delete(try #require(try other.quake("a"))) }
        if deletesToo { context.delete(quake) }
        context.processPendingChanges()
        let error = try #require(throws: SaveConflictError.self) { try child.save() }
        try child.resolve(error, using: .mergeByPropertyObjectTrump)
        try child.save()
        #expect(!quake.isDeleted && quake.magnitude == 2 && quake.hasChanges)
        child.processPendingChanges()
        #expect(!mine.isDeleted)
        try context.save()
        #expect(!quake.isDeleted && quake.managedObjectContext === context)
        #expect(try container.makeContext().quake("a")?.magnitude == 2)
    }

    @Test func aNewObjectThatItsParentDeletesBeforeASaveIsGoneForAChild() throws {
        let context = try makeContainer().viewContext
        let other = context.insertQuake("other")
        try context.save()
        let new = context.insertQuake("new")
        other.magnitude += 1
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.quake("new"))
        let list = try FetchedResults(FetchRequest<Quake>().sorted(by: \.code), in: child)
        context.delete(new)
        try context.save()
        context.processPendingChanges()
        #expect(mine.isDeleted && list.objects?.map(\.code) == ["other"])
    }

    @Test func aListOfWhatIsStoredShowsWhatItsChildSaves() async throws {
        let context = try makeContainer().viewContext
        _ = context.insertQuake("a", magnitude: 1)
        try context.save()
        let child = ManagedObjectContext(
            parent: context, options: ContextOptions(automaticallyMergesChangesFromParent: false))
        var request = FetchRequest<Quake>().where { $0.magnitude > 1 }.sorted(by: \.code)
        request.includesPendingChanges = false
        let list = try FetchedResults(request, in: child)
        try #require(try child.quake("a")).magnitude = 2
        child.processPendingChanges()
        #expect(list.objects?.count == 0)
        try child.save()
        #expect(await eventually { list.objects?.count == 1 })
    }

    @Test func anOrderThatStaysOutOfASaveDoesNotMove() throws {
        let context = try StoreKind.memory.container(Music.model).viewContext
        let mix = Mix(context: context)
        for song in context.insertSongs("abc") { mix.songs.append(song) }
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.fetch(FetchRequest<Mix>()).first)
        mine.songs.move(from: 2, to: 0)
        _ = child.insertSongs("d")
        #expect(try child.save(excluding: [mine]) == [mine])
        #expect(mix.songs.names == "abc" && mine.songs.names == "cab")
        try child.save()
        #expect(mix.songs.names == "cab" && !child.hasChanges)
    }

    @Test func deletionsOfBothAreNoConflict() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("a")
        try context.save()
        let child = ManagedObjectContext(parent: context)
        child.delete(try #require(try child.quake("a")))
        context.delete(quake)
        try child.save()
        try context.save()
        #expect(try codes(child) == "")
    }

    @Test func anEditedObjectKeepsItsValuesWhenItsDeletionIsSaved() throws {
        let context = try StoreKind.memory.container().viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        quake.depth = 5
        let child = ManagedObjectContext(parent: context)
        let mine = try child.existingObject(with: quake.objectID, as: Quake.self)
        mine.magnitude = 2
        child.delete(mine)
        // What the parent has is merged, since it is not saved there.
        child.processPendingChanges()
        try child.save()
        #expect(quake.isDeleted && quake.magnitude == 1 && mine.magnitude == 2)
    }

    @Test func theParentsDeleteRulesKnowWhatTheChildDoesNot() throws {
        let context = try makeContainer().viewContext
        let region = context.insertRegion("Honshu")
        _ = context.insertQuake("a", in: region)
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.fetch(FetchRequest<Region>()).first)
        child.delete(mine)
        child.processPendingChanges()
        _ = context.insertQuake("b", in: region)
        try child.save()
        #expect(try codes(context) == "")
    }

    @Test func pairsMoveBothWays() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("a")
        let old = context.insertTag("old")
        quake.tags.insert(old)
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.quake("a"))
        mine.tags.remove(try #require(mine.tags.first))
        mine.tags.insert(child.insertTag("new"))
        try child.save()
        #expect(quake.tags.map(\.name) == ["new"] && old.quakes.isEmpty)
        try context.save()
        context.reset()
        #expect(try #require(try context.quake("a")).tags.map(\.name) == ["new"])
    }

    @Test func aChildIsValidatedAndKeepsItsChanges() throws {
        let context = try makeContainer().viewContext
        let child = ManagedObjectContext(parent: context)
        let station = Station(context: child)
        station.callSign = "JMA"
        #expect(throws: ValidationError.self) { try child.save() }
        #expect(context.registeredObjects.isEmpty && station.isInserted)
        station.region = child.insertRegion("Honshu")
        try child.save()
        #expect(context.insertedObjects.count == 2)
    }

    @Test func oneToOnesChangePartners() throws {
        let context = try makeContainer().viewContext
        let stations = context.insertStations("a", "b", "c", "d")
        stations[0].backup = stations[1]
        stations[2].backup = stations[3]
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try child.fetch(FetchRequest<Station>().sorted(by: \.callSign))
        mine[0].backup = mine[3]
        mine[2].backup = mine[1]
        try child.save()
        #expect(stations[0].backup === stations[3] && stations[3].backupOf === stations[0])
        #expect(stations[2].backup === stations[1] && stations[1].backupOf === stations[2])
        try context.save()
    }

    @Test func whatBothMadeOfAnOrderedToManyAddsUp() throws {
        let context = try StoreKind.sqlite.container(Music.model).viewContext
        let playlist = Playlist(context: context)
        playlist.songs.append(contentsOf: context.insertSongs("abcd"))
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.fetch(FetchRequest<Playlist>()).first)
        #expect(mine.songs.names == "abcd")
        mine.songs.move(from: 0, to: 3)
        mine.songs.insert(child.insertSongs("x")[0], at: 0)
        playlist.songs.append(context.insertSongs("y")[0])
        playlist.songs.remove(at: 1)
        #expect(mine.songs.names == "xbcda")
        try child.save()
        #expect(playlist.songs.names == "xcday")
        child.processPendingChanges()
        #expect(mine.songs.names == "xcday")
        try context.save()
        #expect(mine.songs.names == "xcday")
        context.reset()
        #expect(try context.fetch(FetchRequest<Playlist>()).first?.songs.names == "xcday")
    }

    @Test func faultsOfAChildComeInGroups() throws {
        let container = try makeContainer()
        try container.saveElsewhere { context in
            for number in 0..<100 {
                _ = context.insertQuake("q\(number)", in: context.insertRegion("r\(number)"))
            }
        }
        let child = ManagedObjectContext(parent: container.viewContext)
        let quakes = try child.fetch(FetchRequest<Quake>())
        let before = container.persistentStoreCoordinator.faultCount
        #expect(Set(quakes.compactMap(\.region?.name)).count == 100)
        #expect(container.persistentStoreCoordinator.faultCount == before + 1)
        // The parent need not know any of them.
        #expect(container.viewContext.registeredObjects.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func deletionsOfBothAreNoConflictWhenTheParentDoesNotKnowTheObject(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertQuake("a") }
        let context = container.viewContext
        let child = ManagedObjectContext(parent: context)
        child.delete(try #require(try child.quake("a")))
        try container.saveElsewhere { other in other.delete(try #require(try other.quake("a"))) }
        context.processPendingChanges()
        try child.save()
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func aReferenceToWhatTheParentNeverKnewAndIsGoneIsAConflict(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere { _ = $0.insertRegion("Honshu") }
        let context = container.viewContext
        let child = ManagedObjectContext(parent: context)
        let quake = child.insertQuake("a", in: try child.fetch(FetchRequest<Region>()).first)
        try container.saveElsewhere { $0.delete(try $0.fetch(FetchRequest<Region>())[0]) }
        context.processPendingChanges()
        #expect(throws: SaveConflictError.self) { try child.save() }
        quake.region = nil
        try child.save()
        try context.save()
    }
}
