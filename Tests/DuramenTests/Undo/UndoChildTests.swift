import Duramen
import Testing

/// Undo in children, and of what they save.
@MainActor struct UndoChildTests {
    @Test(arguments: StoreKind.allCases)
    func whatAChildSavesIsOneEventOfItsParent(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let context = desk.context
        let region = context.insertRegion("r")
        let quake = context.insertQuake("a", magnitude: 1, in: region)
        let tag = context.insertTag("t")
        try desk.settle()
        quake.depth = 5
        let child = ManagedObjectContext(parent: context)
        let mine = try child.existingObject(with: quake.objectID, as: Quake.self)
        mine.magnitude = 2
        child.processPendingChanges()
        mine.tags.insert(child.object(with: tag.objectID, as: Tag.self))
        child.insertQuake("b", in: mine.region).magnitude = 4
        child.processPendingChanges()
        try child.save()
        #expect(quake.magnitude == 2 && Array(quake.tags) == [tag] && region.quakes.count == 2)
        try context.undo()
        #expect(quake.magnitude == 1 && quake.tags.isEmpty && quake.depth == 5)
        #expect(Array(region.quakes) == [quake] && context.insertedObjects.isEmpty)
        try context.undo()
        #expect(quake.depth == nil && !desk.undoManager.canUndo)
        try context.redo()
        try context.redo()
        #expect(quake.magnitude == 2 && Array(quake.tags) == [tag] && region.quakes.count == 2)
        try context.save()
        #expect(try desk.reader.quake("b")?.region?.name == "r")
    }

    @Test(arguments: StoreKind.allCases)
    func aChildFollowsWhatItsParentTakesBack(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let context = desk.context
        let quake = context.insertQuake("a", magnitude: 1)
        try desk.settle()
        let child = ManagedObjectContext(parent: context)
        let mine = try child.existingObject(with: quake.objectID, as: Quake.self)
        quake.magnitude = 2
        context.processPendingChanges()
        #expect(mine.magnitude == 2)
        try context.undo()
        context.processPendingChanges()
        #expect(mine.magnitude == 1)
        context.delete(quake)
        context.processPendingChanges()
        #expect(mine.isDeleted)
        try context.undo()
        context.processPendingChanges()
        #expect(!mine.isDeleted && mine.magnitude == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildTakesBackWhatItHasSaved(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let context = desk.context
        let region = context.insertRegion("r")
        let quake = context.insertQuake("a", magnitude: 1, in: region)
        let tag = context.insertTag("t")
        quake.tags.insert(tag)
        try desk.settle()
        context.undoManager = nil
        let child = ManagedObjectContext(parent: context)
        child.undoManager = ContextUndoManager()
        let mine = try child.existingObject(with: quake.objectID, as: Quake.self)
        child.delete(mine)
        let made = child.insertQuake("b", magnitude: 4)
        made.region = child.object(with: region.objectID, as: Region.self)
        try child.save()
        #expect(quake.isDeleted && tag.quakes.isEmpty && region.quakes.map(\.code) == ["b"])
        try child.undo()
        mine.magnitude = 9
        try child.save()
        #expect(!quake.isDeleted && quake.magnitude == 9 && quake.region === region)
        #expect(Array(region.quakes) == [quake] && Array(tag.quakes) == [quake])
        try child.undo()
        try child.save()
        #expect(quake.magnitude == 1 && Array(quake.tags) == [tag])
        try context.save()
        let stored = try #require(try desk.reader.quake("a"))
        #expect(stored.magnitude == 1 && stored.tags.count == 1 && stored.region?.name == "r")
        #expect(try desk.reader.count(for: FetchRequest<Quake>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildMakesAgainWhatItsParentHasDeletedForGood(kind: StoreKind) throws {
        let desk = try UndoDesk(kind)
        let quake = desk.context.insertQuake("a", magnitude: 6)
        try desk.settle()
        desk.context.undoManager = nil
        let id = quake.objectID
        let child = ManagedObjectContext(parent: desk.context)
        child.undoManager = ContextUndoManager()
        let mine = try child.existingObject(with: id, as: Quake.self)
        child.delete(mine)
        try child.save()
        try desk.context.save()
        #expect(try desk.reader.count(for: FetchRequest<Quake>()) == 0)
        try child.undo()
        try child.save()
        try desk.context.save()
        let stored = try #require(try desk.reader.quake("a"))
        #expect(stored.magnitude == 6 && stored.objectID == id)
    }
}
