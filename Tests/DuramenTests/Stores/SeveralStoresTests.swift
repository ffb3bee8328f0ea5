import Duramen
import DuramenMemory
import DuramenSQLite
import Testing

/// One context over two stores.
@Suite struct SeveralStoresTests {
    @Test(
        "New objects go to the first store, or to the one that they are assigned to",
        arguments: TwoStores.Kinds.all)
    func newObjectsGoWhereTheyAreAssigned(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds)
        let context = stores.container.makeContext()
        let here = context.insertQuake("here")
        let there = context.insertQuake("there", magnitude: 4)
        let tag = context.insertTag("felt")
        there.tags.insert(tag)
        there.region = context.insertRegion("Chile")
        for object in [there, tag, try #require(there.region)] {
            try context.assign(object, to: stores.second)
        }
        #expect(there.code == "there" && there.magnitude == 4 && there.tags.contains(tag))
        #expect(try context.fetch(FetchRequest<Quake>().sorted(by: \.code)) == [here, there])
        try context.save()
        #expect(here.objectID.store == stores.first && there.objectID.store == stores.second)
        #expect(try stores.stored(in: [stores.first]) == ["here 1.0 -"])
        #expect(try stores.stored(in: [stores.second]) == ["there 4.0 Chile"])
        let other = stores.container.makeContext()
        let read = try #require(try other.existingObject(with: there.objectID) as? Quake)
        #expect(read.tags.map(\.name) == ["felt"] && read.region?.quakes.first == read)
    }

    @Test("A store that may not be written gets no new objects")
    func aReadOnlyStoreGetsNoNewObjects() throws {
        let path = ScratchFolder.newPath()
        _ = try PersistentContainer.open(model: Seismology.model, stores: [.sqlite(path)])
        let container = try PersistentContainer.open(
            model: Seismology.model, stores: [.sqlite(path).readOnly(), .memory()])
        let context = container.makeContext()
        let quake = context.insertQuake("a")
        try context.save()
        #expect(quake.objectID.store == container.stores[1])
        let error = #expect(throws: ContextError.self) {
            try context.assign(context.insertQuake("b"), to: container.stores[0])
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test("Only new objects are assigned, and only to stores of the container")
    func assigningIsChecked() throws {
        let stores = try TwoStores(.all[0])
        let context = stores.container.makeContext()
        let quake = context.insertQuake("a")
        let elsewhere = try makeContainer().stores[0]
        #expect(throws: ContextError.self) { try context.assign(quake, to: elsewhere) }
        try context.save()
        let error = #expect(throws: ContextError.self) {
            try context.assign(quake, to: stores.second)
        }
        #expect(error?.code == .invalidRequest && quake.objectID.store == stores.first)
    }

    @Test(
        "A fetch merges the stores' objects and unsaved ones in order, and its window counts them all",
        arguments: TwoStores.Kinds.all)
    func fetchesMerge(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        let byCode = FetchRequest<Quake>().sorted(by: \.code)
        #expect(try context.fetch(byCode).codes == "abcd")
        #expect(try context.fetch(byCode.offset(1).limit(2)).codes == "bc")
        let byRegion = FetchRequest<Quake>().sorted(by: "region.name")
            .sorted(by: \.magnitude, .descending)
        #expect(try context.fetch(byRegion).codes == "dbca")
        try #require(try context.quake("d")).code = "A"
        context.delete(try #require(try context.quake("b")))
        try context.assign(context.insertQuake("bb", magnitude: 9), to: stores.second)
        _ = context.insertQuake("e", magnitude: 0)
        #expect(try context.fetch(byCode).map(\.code) == ["A", "a", "bb", "c", "e"])
        #expect(try context.fetch(byCode.offset(1).limit(3)).map(\.code) == ["a", "bb", "c"])
        #expect(try context.fetchObjectIDs(byCode.limit(1)).first?.store == stores.second)
        #expect(try context.count(for: byCode) == 5)
        #expect(try context.count(for: byCode.offset(4).limit(3)) == 1)
        let strong = byCode.where { $0.magnitude >= 3 && $0.region.name != "Honshu" }
        #expect(try context.fetch(strong).map(\.code) == ["A", "bb"])
        var stored = byCode
        stored.includesPendingChanges = false
        #expect(try context.count(for: stored) == 4)
    }

    @Test("A fetch asks the affected stores only; a store that is not there has nothing")
    func affectedStores() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let request = FetchRequest<Quake>().sorted(by: \.code)
        #expect(try context.fetch(request.affectedStores([stores.second])).codes == "bd")
        #expect(try context.fetch(request.affectedStores([stores.first])).codes == "ac")
        let both = [stores.second, stores.first]
        #expect(try context.fetch(request.affectedStores(both)).codes == "abcd")
        let unknown = try makeContainer().stores
        #expect(try context.fetch(request.affectedStores(unknown)).isEmpty)
        #expect(try context.count(for: request.affectedStores(unknown)) == 0)
        #expect(try context.fetchObjectIDs(request.affectedStores([])).isEmpty)
        let one = try StoreKind.memory.container()
        _ = one.makeContext()
        #expect(try one.makeContext().fetch(request.affectedStores(both)).isEmpty)
    }

    @Test(
        "Objects of two stores with one key are two objects, and each change reaches its own store",
        arguments: TwoStores.Kinds.all)
    func keysOfTwoStoresAreApart(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(Set(quakes.map(\.objectID.key)).count < 4)
        #expect(Set(quakes.map(\.objectID)).count == 4)
        for quake in quakes {
            #expect(context.registeredObject(for: quake.objectID) === quake)
            #expect(context.object(with: quake.objectID) === quake)
            let uri = quake.objectID.uriRepresentation
            let coordinator = stores.container.persistentStoreCoordinator
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == quake.objectID)
        }
        #expect(quakes.map { $0.region?.name } == ["Honshu", "Chile", "Honshu", "Chile"])
        #expect(quakes[1].region?.quakes.map(\.code) == ["b", "d"])
        for quake in quakes { quake.magnitude += 0.5 }
        context.delete(quakes[3])
        #expect(context.updatedObjects.count == 3 && context.deletedObjects == [quakes[3]])
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stores.stored() == ["a 1.5 Honshu", "b 2.5 Chile", "c 3.5 Honshu"])
    }

    @Test(
        "A save reaches other contexts, of either store and of both",
        arguments: TwoStores.Kinds.all)
    func savesReachOtherContexts(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let mine = stores.container.makeContext()
        let theirs = stores.container.makeContext()
        let quakes = try mine.fetch(FetchRequest<Quake>().sorted(by: \.code))
        let region = try #require(quakes[1].region)
        #expect(region.quakes.count == 2)
        for quake in try theirs.fetch(FetchRequest<Quake>()) { quake.magnitude = 8 }
        try theirs.save()
        theirs.delete(try #require(try theirs.quake("d")))
        try theirs.save()
        #expect(quakes.map(\.magnitude) == [1, 2, 3, 4])
        mine.processPendingChanges()
        #expect(quakes[..<3].map(\.magnitude) == [8, 8, 8])
        #expect(region.quakes.map(\.code) == ["b"])
        #expect(mine.deletedObjects == [quakes[3]])
        quakes[0].magnitude = 1
        quakes[1].magnitude = 1
        try mine.save()
        #expect(try stores.stored() == ["a 1.0 Honshu", "b 1.0 Chile", "c 8.0 Honshu"])
    }

    @Test("Rollback, refresh and reset are for the objects of all stores")
    func rollbackRefreshReset() throws {
        let stores = try TwoStores(.all[1]).filled()
        let context = stores.container.makeContext()
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        for quake in quakes { quake.magnitude = 0 }
        try context.assign(context.insertQuake("e"), to: stores.second)
        context.delete(quakes[2])
        context.rollback()
        #expect(!context.hasChanges && quakes.map(\.magnitude) == [1, 2, 3, 4])
        try stores.container.saveElsewhere { context in
            for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude = 9 }
        }
        quakes[0].code = "x"
        quakes[1].code = "y"
        try context.refresh(quakes[1], mergeChanges: true)
        #expect(quakes[1].code == "y" && quakes[1].magnitude == 9)
        try context.refreshAllObjects()
        #expect(quakes[0].code == "x" && quakes.allSatisfy { $0.magnitude == 9 })
        #expect(context.registeredObjects.isSuperset(of: quakes))
        context.reset()
        #expect(!context.hasChanges && context.registeredObjects.isEmpty)
    }

    @Test("Metadata are each store's own")
    func metadataAreEachStoresOwn() throws {
        let stores = try TwoStores(.all[0])
        let coordinator = stores.container.persistentStoreCoordinator
        try coordinator.setMetadata(["place": .integer(2)], of: stores.second)
        #expect(try coordinator.metadata(of: stores.second).userInfo == ["place": .integer(2)])
        #expect(try coordinator.metadata(of: stores.first).userInfo.isEmpty)
        #expect(coordinator.description(of: stores.first)?.isReadOnly == false)
        let unknown = try makeContainer().stores[0]
        #expect(throws: ContextError.self) { try coordinator.metadata(of: unknown) }
    }

    @Test(
        "A store that is given twice is refused, and the first stays usable",
        arguments: [StoreKind.sqlite, .lmdb])
    func aStoreIsGivenOnce(kind: StoreKind) throws {
        let store = kind.description
        let error = #expect(throws: ContextError.self) {
            try PersistentContainer.open(
                model: Seismology.model, stores: [store, store])
        }
        #expect(error?.code == .duplicateStore)
        let container = try PersistentContainer.open(model: Seismology.model, stores: [store])
        #expect(throws: ContextError.self) {
            try container.persistentStoreCoordinator.addStore(store.readOnly())
        }
        let context = container.makeContext()
        _ = context.insertQuake("a")
        try context.save()
        #expect(container.stores.count == 1)
        #expect(throws: ContextError.self) {
            try PersistentContainer.open(model: Seismology.model, stores: [])
        }
    }
}
