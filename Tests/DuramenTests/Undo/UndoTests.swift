import Duramen
import Testing

/// Changes are put back as they were, on every store.
@MainActor struct UndoTests {
    @Test func withoutAManagerThereIsNothingToTakeBack() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("a")
        #expect(context.undoManager == nil)
        try context.undo()
        try context.redo()
        #expect(quake.isInserted)
    }

    @Test(arguments: StoreKind.allCases)
    func anInsertionIsTakenBackAndMadeAgain(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        #expect(!undoManager.canUndo)
        let quake = context.insertQuake("a", magnitude: 5)
        #expect(undoManager.canUndo)
        try context.undo()
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
        #expect(try context.quake("a") == nil)
        #expect(undoManager.canRedo && !undoManager.canUndo)
        try context.redo()
        #expect(try context.quake("a") === quake)
        #expect(quake.isInserted && quake.magnitude == 5 && context.insertedObjects == [quake])
        try context.save()
        #expect(try desk.reader.quake("a")?.magnitude == 5)
    }

    @Test(arguments: StoreKind.allCases)
    func editsOfAnEventAreTakenBackTogether(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a", magnitude: 5)
        quake.depth = 10
        try context.save()
        undoManager.removeAllActions()
        quake.magnitude = 6
        quake.depth = nil
        quake.code = "another and longer code than before"
        quake.magnitude = 7
        context.processPendingChanges()
        quake.status = .reviewed
        try context.undo()
        #expect(quake.status == .automatic && quake.magnitude == 7)
        try context.undo()
        #expect(quake.magnitude == 5 && quake.depth == 10 && quake.code == "a")
        #expect(!context.hasChanges && !undoManager.canUndo)
        try context.redo()
        #expect(quake.magnitude == 7 && quake.depth == nil && quake.code.hasPrefix("another"))
        #expect(quake.isUpdated && quake.status == .automatic)
        try context.redo()
        #expect(quake.status == .reviewed && !undoManager.canRedo)
    }

    @Test(arguments: StoreKind.allCases)
    func anEventThatChangesNothingIsNoStep(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a", magnitude: 5)
        let tag = context.insertTag("t")
        try context.save()
        undoManager.removeAllActions()
        quake.magnitude = 6
        quake.magnitude = 5
        quake.tags.insert(tag)
        quake.tags.remove(tag)
        context.delete(context.insertQuake("b"))
        context.processPendingChanges()
        #expect(!undoManager.canUndo)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletionIsTakenBackWithAllThatItsRulesDid(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let region = context.insertRegion("r")
        let tag = context.insertTag("t")
        let quakes = (0..<3).map { context.insertQuake("q\($0)", magnitude: 3, in: region) }
        quakes[0].tags.insert(tag)
        try context.save()
        let unsaved = context.insertQuake("new", in: region)
        unsaved.tags.insert(tag)
        context.processPendingChanges()
        undoManager.removeAllActions()
        context.delete(region)
        context.processPendingChanges()
        #expect(quakes.allSatisfy(\.isDeleted) && tag.quakes.isEmpty)
        try context.undo()
        #expect(context.deletedObjects.isEmpty)
        #expect(Set(region.quakes) == Set(quakes + [unsaved]))
        #expect(Set(tag.quakes) == [quakes[0], unsaved] && Set(unsaved.tags) == [tag])
        #expect(unsaved.isInserted && !quakes[1].hasChanges)
        try context.redo()
        #expect(context.deletedObjects == Set(quakes + [region]) && tag.quakes.isEmpty)
        try context.undo()
        try context.save()
        let reader = desk.reader
        let stored = try #require(try reader.fetch(FetchRequest<Region>()).first)
        #expect(stored.quakes.count == 4)
        #expect(try reader.fetch(FetchRequest<Tag>()).first?.quakes.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func toOnesAndPairsAreLedBack(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let regions = ["a", "b"].map(context.insertRegion)
        let tags = ["s", "t"].map(context.insertTag)
        let quake = context.insertQuake("q", in: regions[0])
        quake.tags.insert(tags[0])
        try context.save()
        undoManager.removeAllActions()
        quake.region = regions[1]
        quake.tags.remove(tags[0])
        quake.tags.insert(tags[1])
        try context.undo()
        #expect(quake.region === regions[0] && Set(quake.tags) == [tags[0]])
        #expect(Array(regions[0].quakes) == [quake] && regions[1].quakes.isEmpty)
        #expect(Array(tags[0].quakes) == [quake] && tags[1].quakes.isEmpty)
        #expect(!context.hasChanges)
        try context.redo()
        #expect(quake.region === regions[1] && Set(quake.tags) == [tags[1]])
        #expect(regions[0].quakes.isEmpty && Array(regions[1].quakes) == [quake])
        try context.undo()
        regions[1].quakes.insert(quake)
        try context.undo()
        #expect(quake.region === regions[0] && Array(regions[0].quakes) == [quake])
    }

    @Test(arguments: StoreKind.allCases)
    func oneToOnesAreLedBackOnBothSides(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let stations = context.insertStations("a", "b", "c")
        stations[0].backup = stations[1]
        try context.save()
        undoManager.removeAllActions()
        stations[2].backup = stations[1]
        context.processPendingChanges()
        #expect(stations[0].backup == nil)
        context.delete(stations[1])
        try context.undo()
        #expect(stations[2].backup === stations[1] && stations[1].backupOf === stations[2])
        try context.undo()
        #expect(stations[0].backup === stations[1] && stations[1].backupOf === stations[0])
        #expect(stations[2].backup == nil)
        try context.redo()
        try context.redo()
        #expect(stations[1].isDeleted && stations[2].backup == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func ordersAreArrangedAsTheyWere(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Music.model)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let songs = context.insertSongs("abcde")
        let playlist = Playlist(context: context)
        playlist.songs.append(contentsOf: songs)
        let mix = Mix(context: context)
        mix.songs.append(contentsOf: songs[0..<3])
        try context.save()
        undoManager.removeAllActions()
        playlist.songs.move(from: 4, to: 0)
        mix.songs.remove(songs[1])
        context.processPendingChanges()
        #expect(playlist.songs.names == "eabcd" && mix.songs.names == "ac")
        songs[2].playlist = nil
        context.delete(songs[0])
        context.processPendingChanges()
        #expect(playlist.songs.names == "ebd" && mix.songs.names == "c")
        try context.undo()
        #expect(playlist.songs.names == "eabcd" && mix.songs.names == "ac")
        try context.undo()
        #expect(playlist.songs.names == "abcde" && mix.songs.names == "abc")
        #expect(!context.hasChanges)
        try context.redo()
        #expect(playlist.songs.names == "eabcd" && mix.songs.names == "ac")
        try context.save()
        try context.undo()
        try context.save()
        let reader = desk.reader
        #expect(try reader.fetch(FetchRequest<Playlist>()).first?.songs.names == "abcde")
        #expect(try reader.fetch(FetchRequest<Mix>()).first?.songs.names == "abc")
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnerComesBackWithItsOrder(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Music.model)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let songs = context.insertSongs("abcde")
        let playlist = Playlist(context: context)
        playlist.songs.append(contentsOf: [songs[3], songs[0], songs[2]])
        let mix = Mix(context: context)
        mix.songs.append(contentsOf: songs.reversed())
        try context.save()
        undoManager.removeAllActions()
        context.delete(playlist)
        context.delete(mix)
        try context.save()
        #expect(songs[3].playlist == nil && songs[3].mixes.isEmpty)
        try context.undo()
        #expect(playlist.songs.names == "dac" && mix.songs.names == "edcba")
        try context.save()
        let reader = desk.reader
        #expect(try reader.fetch(FetchRequest<Playlist>()).first?.songs.names == "dac")
        #expect(try reader.fetch(FetchRequest<Mix>()).first?.songs.names == "edcba")
    }

    @Test(arguments: StoreKind.allCases)
    func aPairThatIsMadeAndLostInOneEventStaysAway(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let (quake, tag) = (context.insertQuake("q"), context.insertTag("t"))
        let other = context.insertTag("u")
        quake.tags.insert(other)
        try context.save()
        undoManager.removeAllActions()
        quake.tags.insert(tag)
        quake.tags.remove(other)
        quake.magnitude = 9
        context.delete(quake)
        try context.undo()
        #expect(Set(quake.tags) == [other] && tag.quakes.isEmpty && quake.magnitude == 1)
        #expect(Array(other.quakes) == [quake])
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackAndResetForgetTheSteps(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        _ = context.insertQuake("a")
        context.processPendingChanges()
        _ = context.insertQuake("b")
        context.rollback()
        #expect(!undoManager.canUndo && !undoManager.canRedo)
        _ = context.insertQuake("a")
        try context.undo()
        #expect(undoManager.canRedo)
        context.rollback()
        #expect(!undoManager.canRedo)
        _ = context.insertQuake("a")
        context.reset()
        #expect(!undoManager.canUndo)
        try context.undo()
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func whatChangesWhileRegistrationIsDisabledStays(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a", magnitude: 1)
        let region = context.insertRegion("r")
        try context.save()
        undoManager.removeAllActions()
        quake.magnitude = 2
        undoManager.disableUndoRegistration()
        #expect(!undoManager.isUndoRegistrationEnabled)
        quake.depth = 5
        _ = context.insertQuake("b", in: region)
        try undoManager.enableUndoRegistration()
        quake.status = .reviewed
        try context.undo()
        #expect(quake.magnitude == 1 && quake.depth == 5 && quake.status == .automatic)
        #expect(try context.quake("b")?.region === region)
        #expect(!undoManager.canUndo)
        undoManager.withoutUndoRegistration { context.delete(region) }
        #expect(try context.quake("b") == nil && !undoManager.canUndo)
        #expect(undoManager.canRedo)
        try context.redo()
        #expect(quake.magnitude == 2 && quake.status == .reviewed)
    }

    @Test(arguments: StoreKind.allCases)
    func primitiveValuesAreNotTakenBack(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        undoManager.removeAllActions()
        quake.depth = 1
        try quake.setPrimitiveValue(8.0, forKey: "magnitude")
        try context.undo()
        #expect(quake.depth == nil && quake.magnitude == 8)
    }

    @Test(arguments: StoreKind.allCases)
    func anotherManagerOrNoneForgetsTheSteps(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, undoManager) = (desk.context, desk.undoManager)
        _ = context.insertQuake("a")
        context.processPendingChanges()
        context.undoManager = nil
        #expect(!undoManager.canUndo)
        context.insertQuake("b").magnitude = 4
        context.undoManager = undoManager
        try context.undo()
        #expect(context.insertedObjects.count == 2)
        _ = context.insertQuake("c")
        try context.undo()
        #expect(context.insertedObjects.count == 2)
    }

    @Test func stepsHoldTheirObjectsAndLetThemGo() throws {
        let desk = try UndoDesk(.memory)
        let (context, undoManager) = (desk.context, desk.undoManager)
        weak var gone: Quake?
        do {
            let quake = context.insertQuake("a")
            gone = quake
            try context.save()
            context.delete(quake)
            try context.save()
        }
        #expect(gone != nil)
        undoManager.removeAllActions()
        #expect(gone == nil)
        undoManager.levelsOfUndo = 1
        do {
            let quake = context.insertQuake("b")
            gone = quake
            context.processPendingChanges()
            context.delete(quake)
            context.processPendingChanges()
        }
        #expect(gone != nil)
        _ = context.insertQuake("c")
        context.processPendingChanges()
        try context.save()
        #expect(gone == nil)
    }
}
