import Duramen
import Testing

/// Undo in a context over several stores.
@MainActor struct UndoStoresTests {
    @Test(arguments: TwoStores.Kinds.all)
    func changesOfBothStoresAreOneStep(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.viewContext
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        let before = try stores.stored()
        let regions = try #require(quakes.count == 4 ? quakes.compactMap(\.region) : nil)
        quakes[0].magnitude = 40
        quakes[1].magnitude = 50
        context.delete(regions[3])
        let made = context.insertQuake("e")
        try context.assign(made, to: stores.second)
        try context.save()
        #expect(try stores.stored().count == 3)
        try context.undo()
        #expect(quakes.map(\.magnitude) == [1, 2, 3, 4] && quakes[3].region === regions[3])
        try context.save()
        #expect(try stores.stored() == before)
        try context.redo()
        try context.save()
        #expect(try stores.stored().map { $0.prefix(4) } == ["a 40", "c 3.", "e 1."])
        try context.undo()
        try stores.container.removeStore(stores.second)
        context.processPendingChanges()
        #expect(!undoManager.canUndo && !undoManager.canRedo)
    }
}
