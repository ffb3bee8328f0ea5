import Duramen
import DuramenSQLite
import DuramenTestKit
import Testing

/// Stores that come and go while contexts are in use.
@Suite struct StoreRemovalTests {
    @Test("Contexts see a store that is added with their next fetch", arguments: StoreKind.allCases)
    func anAddedStoreIsSeen(kind: StoreKind) async throws {
        let elsewhere = ScratchFolder.newPath()
        let old = try PersistentContainer.open(
            model: Seismology.model, stores: [.sqlite(elsewhere)])
        try old.saveElsewhere { _ = $0.insertQuake("b") }
        try old.close()
        let container = try kind.container()
        let background = container.newBackgroundContext()
        try await background.perform { context in
            _ = context.insertQuake("a")
            try context.save()
        }
        let added = try await container.addStore(.sqlite(elsewhere))
        #expect(container.stores.last == added && container.store(at: elsewhere) == added)
        try await background.perform { context in
            let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
            #expect(quakes.codes == "ab" && quakes[1].objectID.store == added)
            quakes[1].magnitude = 5
            try context.assign(context.insertQuake("c"), to: added)
            try context.save()
        }
        let other = container.makeContext()
        #expect(try other.quake("b")?.magnitude == 5)
    }

    @Test(
        "A removed store's objects become invalid, its changes are dropped, and the rest goes on",
        arguments: TwoStores.Kinds.all, [0, 1])
    func aRemovedStoreIsForgotten(kinds: TwoStores.Kinds, place: Int) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        var failed: [ManagedObject] = []
        context.onFaultFailure = { object, _ in failed.append(object) }
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        let (gone, kept) = (quakes[place], quakes[1 - place])
        gone.magnitude = 9
        kept.magnitude = 8
        let new = context.insertQuake("e")
        try context.assign(new, to: stores.container.stores[place])
        try stores.container.removeStore(stores.container.stores[place])
        let rest = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(rest.codes == (place == 0 ? "bd" : "ac"))
        #expect(context.updatedObjects == [kept] && context.insertedObjects.isEmpty)
        #expect(gone.code == "" && new.code == "" && failed == [gone, new])
        let error = #expect(throws: ContextError.self) { try gone.load() }
        #expect(error?.code == .storeRemoved)
        #expect((gone.faultError as? ContextError)?.code == .storeRemoved)
        #expect(throws: ContextError.self) { try context.existingObject(with: gone.objectID) }
        let fault = context.object(with: gone.objectID)
        #expect(throws: ContextError.self) { try fault.load() }
        #expect(throws: FaultFailures.self) { try context.save() }
        try context.save()
        let added = context.insertQuake("f")
        try context.save()
        #expect(added.objectID.store == stores.container.stores[0])
        #expect(try stores.stored()[0].contains("8.0"))
        #expect(stores.container.makeContext().registeredObjects.isEmpty)
    }

    @Test("An idle context hears of a removal at the end of its unit of work")
    @MainActor func anIdleContextHearsOfARemoval() async throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.viewContext
        let quake = try #require(try context.quake("b"))
        try stores.container.removeStore(stores.second)
        #expect(await eventually { quake.isFault })
        #expect(!context.registeredObjects.contains(quake))
    }

    @Test("Reading what is not read yet from a store that was just removed is a typed failure")
    func readingBeforeTheNews() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let chile = try #require(try context.quake("b")?.region)
        try stores.container.removeStore(stores.second)
        #expect(chile.name == "" && chile.faultError is StoreError)
        #expect((chile.faultError as? StoreError)?.code == .closed)
    }

    @Test("A removed store can be added again, with the same IDs")
    func aRemovedStoreComesBack() async throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let id = try #require(try context.quake("b")).objectID
        let description = try #require(
            stores.container.persistentStoreCoordinator.description(of: stores.second))
        try stores.container.removeStore(stores.second)
        #expect(throws: ContextError.self) { try stores.container.removeStore(stores.second) }
        #expect(try await stores.container.addStore(description) == stores.second)
        let quake = try context.existingObject(with: id, as: Quake.self)
        #expect(quake.code == "b" && quake.region?.quakes.count == 2)
        quake.magnitude = 6
        try context.save()
        #expect(try stores.stored()[1] == "b 6.0 Chile")
    }

    @Test(
        "Without any store fetches are empty, new objects are not saved, and a store may be added")
    func withoutStores() async throws {
        let container = try makeContainer()
        let context = container.makeContext()
        try container.removeStore(container.stores[0])
        #expect(try context.fetch(FetchRequest<Quake>()).isEmpty)
        let quake = context.insertQuake("a")
        let error = #expect(throws: ContextError.self) { try context.save() }
        #expect(error?.code == .storeRemoved && quake.code == "a")
        context.rollback()
        try await container.addStore(StoreKind.memory.description)
        _ = context.insertQuake("b")
        try context.save()
        let other = container.makeContext()
        #expect(try other.fetch(FetchRequest<Quake>()).codes == "b")
    }

    @Test("A save that began before a removal fails with a typed error, or is done")
    func savesAndRemovals() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        try #require(try context.quake("b")).magnitude = 9
        try stores.container.removeStore(stores.second)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stores.stored() == ["a 1.0 Honshu", "c 3.0 Honshu"])
    }
}
