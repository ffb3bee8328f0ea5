import Duramen
import DuramenTestKit
import Testing

/// Steps and what is saved: here, elsewhere, and not at all.
@MainActor struct UndoSavingTests {
    @Test(arguments: StoreKind.allCases)
    func anEditThatWasSavedIsTakenBackByAnotherOne(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        try desk.settle()
        quake.magnitude = 2
        try desk.context.save()
        try desk.context.undo()
        #expect(quake.magnitude == 1 && quake.isUpdated)
        #expect(try desk.reader.quake("a")?.magnitude == 2)
        try desk.context.save()
        try desk.context.redo()
        #expect(quake.magnitude == 2 && quake.isUpdated)
        try desk.context.save()
        #expect(try desk.stored()?.magnitude == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func anInsertionThatWasSavedIsTakenBackByADeletion(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let region = desk.context.insertRegion("r")
        let tag = desk.context.insertTag("t")
        try desk.settle()
        let quake = desk.context.insertQuake("a", magnitude: 3, in: region)
        quake.tags.insert(tag)
        try desk.context.save()
        let id = quake.objectID
        try desk.context.undo()
        #expect(quake.isDeleted && region.quakes.isEmpty && tag.quakes.isEmpty)
        try desk.context.save()
        #expect(try desk.reader.fetch(FetchRequest<Quake>()).isEmpty)
        try desk.context.redo()
        #expect(quake.isInserted && quake.objectID == id && quake.region === region)
        #expect(try desk.context.quake("a") === quake && quake.magnitude == 3)
        try desk.context.save()
        let stored = try #require(try desk.stored())
        #expect(stored.objectID == id && stored.region?.name == "r" && stored.tags.count == 1)
        try desk.context.undo()
        try desk.context.save()
        #expect(try desk.reader.fetch(FetchRequest<Tag>()).first?.quakes.isEmpty == true)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletionThatWasSavedIsTakenBackUnderTheSameIDs(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let (context, container) = (desk.context, desk.container)
        let region = context.insertRegion("r")
        let quakes = (0..<3).map { context.insertQuake("q\($0)", magnitude: 3, in: region) }
        let tag = context.insertTag("t")
        quakes[0].tags.insert(tag)
        try desk.settle()
        let seenElsewhere = try #require(try desk.reader.fetch(FetchRequest<Region>()).first)
        let ids = Set(quakes.map(\.objectID))
        context.delete(region)
        try context.save()
        desk.reader.processPendingChanges()
        #expect(seenElsewhere.isDeleted && tag.quakes.isEmpty)
        for _ in 0..<2 {
            try context.undo()
            try context.save()
            #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 3)
            try context.redo()
            try context.save()
            #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 0)
        }
        try context.undo()
        #expect(context.insertedObjects == Set(quakes + [region]))
        #expect(Set(region.quakes) == Set(quakes) && Array(tag.quakes) == [quakes[0]])
        quakes[1].magnitude = 5
        try context.save()
        desk.reader.processPendingChanges()
        #expect(!seenElsewhere.isDeleted)
        let other = container.makeContext()
        let stored = try #require(try other.fetch(FetchRequest<Region>()).first)
        #expect(Set(stored.quakes.map(\.objectID)) == ids)
        #expect(try other.fetch(FetchRequest<Tag>()).first?.quakes.count == 1)
        try context.undo()
        #expect(quakes[1].magnitude == 3 && !desk.undoManager.canUndo)
    }

    @Test(arguments: StoreKind.allCases)
    func whatOthersSavedStaysInAllOtherProperties(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        let id = quake.objectID
        try desk.settle()
        let saved = quake.objectID
        #expect(id != saved)
        quake.magnitude = 2
        try desk.context.save()
        try desk.container.saveElsewhere { context in
            let quake = try context.existingObject(with: saved, as: Quake.self)
            quake.magnitude = 7
            quake.depth = 70
        }
        desk.context.processPendingChanges()
        #expect(quake.magnitude == 7 && quake.depth == 70)
        try desk.context.undo()
        #expect(quake.magnitude == 1 && quake.depth == 70)
        try desk.context.redo()
        #expect(quake.magnitude == 7, "what it was before the step was taken back")
        try desk.context.undo()
        try desk.context.save()
        #expect(try desk.stored()?.magnitude == 1 && desk.stored()?.depth == 70)
    }

    @Test(arguments: StoreKind.allCases)
    func whatOthersDeletedStaysDeleted(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let context = desk.context
        let region = context.insertRegion("r")
        let (kept, lost) = (context.insertQuake("kept"), context.insertQuake("lost"))
        kept.region = region
        kept.magnitude = 1
        try desk.settle()
        kept.region = nil
        kept.magnitude = 2
        lost.magnitude = 2
        try context.save()
        let ids = [region.objectID, lost.objectID]
        try desk.container.saveElsewhere { context in
            for id in ids { context.delete(try context.existingObject(with: id)) }
        }
        context.processPendingChanges()
        try context.undo()
        #expect(kept.region == nil && kept.magnitude == 1)
        #expect(lost.isDeleted && lost.magnitude == 2)
        try context.save()
        #expect(try desk.reader.count(for: FetchRequest<Quake>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func mergingRefreshingAndPoliciesAreNoSteps(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let context = desk.context
        context.mergePolicy = .mergeByPropertyStoreTrump
        let quake = context.insertQuake("a", magnitude: 1)
        let regions = ["r", "s"].map(context.insertRegion)
        quake.region = regions[0]
        try desk.settle()
        let (id, target) = (quake.objectID, regions[1].objectID)
        try desk.container.saveElsewhere { context in
            let quake = try context.existingObject(with: id, as: Quake.self)
            quake.magnitude = 7
            quake.region = context.object(with: target, as: Region.self)
        }
        context.processPendingChanges()
        #expect(quake.region === regions[1] && !desk.undoManager.canUndo)
        context.automaticallyMergesChangesFromParent = false
        try desk.container.saveElsewhere { context in
            try context.existingObject(with: id, as: Quake.self).region = nil
        }
        quake.region = regions[0]
        try context.save()
        #expect(quake.region == nil)
        try context.undo()
        #expect(quake.region === regions[1] && !desk.undoManager.canUndo)
        desk.undoManager.removeAllActions()
        try desk.container.saveElsewhere { context in
            try context.existingObject(with: id, as: Quake.self).magnitude = 8
        }
        context.mergePolicy = .error
        quake.magnitude = 9
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let policy = MergePolicy.custom { _ in
            .policy(.mergeByPropertyObjectTrump).setting(\Quake.magnitude, to: 10)
        }
        try context.resolve(error, using: policy)
        #expect(quake.magnitude == 10)
        try context.undo()
        #expect(!desk.undoManager.canUndo)
        desk.undoManager.removeAllActions()
        try context.refresh(quake, mergeChanges: false)
        try context.refresh(quake, mergeChanges: false)
        #expect(quake.region == nil && !desk.undoManager.canUndo)
    }

    @Test(arguments: StoreKind.allCases)
    func undoingTellsHooksAndObservers(kind: StoreKind) throws {
        var description = Watched.entityDescription
        description.managedObjectClass = ManagedObjectClass(Watched.self)
        let desk = try UndoDesk(kind, try ManagedObjectModel([description]))
        let context = desk.context
        let (kept, deleted) = (Watched(context: context), Watched(context: context))
        try desk.settle()
        kept.title = "b"
        context.delete(deleted)
        let made = Watched(context: context)
        context.processPendingChanges()
        var told: [ObjectChanges] = []
        context.observe { event, _ in
            if case .objectsDidChange(let changes) = event { told.append(changes) }
        }
        try context.undo()
        context.processPendingChanges()
        #expect(kept.seen == [.undoUpdate] && deleted.seen == [.undoDeletion])
        #expect(made.seen == [.undoInsertion])
        #expect(kept.notes == 1 && !kept.hasChanges, "what hooks change is no change")
        #expect(told.count == 1)
        #expect(told.first?.updated == [kept] && told.first?.inserted == [deleted])
        #expect(told.first?.deleted == [made])
        try context.redo()
        #expect(kept.seen == [.undoUpdate, .undoUpdate])
        #expect(deleted.seen == [.undoDeletion, .undoInsertion])
        #expect(made.seen == [.undoInsertion, .undoDeletion])
    }

    @Test(arguments: StoreKind.allCases)
    func compositesAndEncodedValuesArePutBack(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Shock.model)
        let shock = Shock(context: desk.context)
        shock.epicentre = Location(latitude: 1, longitude: 2, names: ["x"])
        shock.origin = nil
        shock.tags = ["a"]
        try desk.settle()
        shock.epicentre = Location(latitude: 1, longitude: 3, grid: .init(square: "K", zone: 4))
        shock.origin = Location(height: 7)
        shock.station = Instrument(name: "i", heights: [1])
        shock.tags = []
        try desk.context.undo()
        #expect(shock.epicentre == Location(latitude: 1, longitude: 2, names: ["x"]))
        #expect(shock.origin == nil && shock.station == nil && shock.tags == ["a"])
        #expect(!desk.context.hasChanges)
        try desk.context.redo()
        #expect(shock.origin == Location(height: 7) && shock.station?.heights == [1])
        #expect(shock.epicentre.grid?.square == "K" && shock.tags.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func whatCannotBeReadChangesNothing(kind: StoreKind) throws {
        let plan = FaultPlan()
        let container = try kind.container(plan: plan)
        let context = container.viewContext
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        let quakes = ["a", "b"].map { context.insertQuake($0, magnitude: 1) }
        try context.save()
        undoManager.removeAllActions()
        for quake in quakes { quake.magnitude = 2 }
        try context.save()
        try context.refresh(quakes[1], mergeChanges: false)
        context.processPendingChanges()
        plan.fail(.rows, at: 1, with: .io, .before)
        #expect(throws: StoreError.self) { try context.undo() }
        plan.clear()
        #expect(!context.hasChanges && quakes.allSatisfy { $0.magnitude == 2 })
        try context.undo()
        #expect(quakes.allSatisfy { $0.magnitude == 1 })
    }

    @Test(arguments: StoreKind.allCases)
    func transientValuesArePutBack(kind: StoreKind) throws {
        var sketch = Plan.entityDescription
        sketch.managedObjectClass = ManagedObjectClass(Plan.self)
        let desk = try UndoDesk(kind, try ManagedObjectModel([sketch]))
        let plan = Plan(context: desk.context)
        try desk.settle()
        plan.zoom = 2
        plan.zoom = 3
        try desk.context.undo()
        #expect(plan.zoom == 1.5 && !desk.context.hasChanges)
        try desk.context.redo()
        #expect(plan.zoom == 3 && plan.isUpdated)
        try desk.context.save()
        plan.title = "t"
        plan.zoom = 4
        try desk.context.undo()
        #expect(plan.zoom == 3 && plan.title == "" && !desk.context.hasChanges)
    }

    private final class Watched: ManagedObject {
        var seen: [SnapshotEvents] = []
        var notes: Int {
            get { attribute(at: 0) }
            set { setAttribute(newValue, at: 0) }
        }
        var title: String {
            get { attribute(at: 1) }
            set { setAttribute(newValue, at: 1) }
        }

        override func awake(fromSnapshotEvents events: SnapshotEvents) {
            seen.append(events)
            notes += 1
        }

        override class var entityDescription: EntityDescription {
            EntityDescription(
                name: "Watched",
                attributes: [
                    .of(Int.self, name: "notes", default: 0),
                    .of(String.self, name: "title", default: "a"),
                ])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWithoutAttributesIsInsertedAgain(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Music.model)
        _ = Mix(context: desk.context)
        try desk.settle()
        let context = desk.container.makeContext()
        context.undoManager = ContextUndoManager()
        let mix = try #require(try context.fetch(FetchRequest<Mix>()).first)
        context.delete(mix)
        try context.save()
        try context.undo()
        try context.save()
        #expect(try desk.reader.fetchObjectIDs(FetchRequest<Mix>()) == [mix.objectID])
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingIsNoStep(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Music.model)
        let playlist = Playlist(context: desk.context)
        let song = desk.context.insertSongs("a")[0]
        try desk.settle()
        playlist.songs.append(song)
        try desk.context.save()
        try desk.context.undo()
        try desk.context.refreshAllObjects()
        #expect(playlist.songs.isEmpty && desk.undoManager.canRedo && !desk.undoManager.canUndo)
        try desk.context.redo()
        #expect(playlist.songs.names == "a")
    }

    @Test(arguments: StoreKind.allCases)
    func aMemberThatLeftAndCameBackGetsItsPlaceThoughALaterStepIsUndone(kind: StoreKind) throws {
        let desk = try UndoDesk(kind, Music.model)
        let (playlist, other) = (Playlist(context: desk.context), Playlist(context: desk.context))
        let songs = desk.context.insertSongs("abc")
        playlist.songs.append(songs[0])
        playlist.songs.append(songs[1])
        try desk.settle()
        songs[1].playlist = other
        songs[1].playlist = playlist
        desk.context.processPendingChanges()
        playlist.title = "later"
        try desk.context.undo()
        try desk.context.save()
        songs[2].playlist = playlist
        playlist.songs.replace(with: [songs[0], songs[2], songs[1]])
        try desk.context.save()
        let stored = try desk.reader.existingObject(with: playlist.objectID)
        let read = try #require(stored as? Playlist)
        #expect(read.songs.names == "acb")
    }

    private final class Plan: ManagedObject {
        var title: String {
            get { attribute(at: 0) }
            set { setAttribute(newValue, at: 0) }
        }
        var zoom: Double {
            get { transient(at: 0, default: 1.5) }
            set { setTransient(newValue, at: 0) }
        }

        override class var entityDescription: EntityDescription {
            EntityDescription(
                name: "Plan",
                attributes: [
                    .of(String.self, name: "title", default: ""),
                    .transient(Double.self, name: "zoom", default: 1.5),
                ])
        }
    }
}

extension UndoDesk {
    /// The first quake as a fresh context reads it.
    @MainActor fileprivate func stored() throws -> Quake? {
        try reader.refreshAllObjects()
        return try reader.fetch(FetchRequest<Quake>()).first
    }
}
