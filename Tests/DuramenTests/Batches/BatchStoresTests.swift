import Duramen
import DuramenMemory
import StoreTestSupport
import Testing

/// Batches over two stores of one container, and over stores that are only read or write no
/// batches.
@MainActor
@Suite struct BatchStoresTests {
    @Test(arguments: TwoStores.Kinds.all)
    func eachStoreHasATransactionOfItsOwn(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.viewContext
        let all = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(all.map(\.code) == ["a", "b", "c", "d"])
        let update = BatchUpdateRequest<Quake>().set(\.magnitude, to: { $0.magnitude + 10 })
        #expect(try context.execute(update).count == 4)
        #expect(all.map(\.magnitude) == [11, 12, 13, 14])
        var second = update
        second.affectedStores = [stores.second]
        #expect(try context.execute(second).count == 2)
        #expect(all.map(\.magnitude) == [11, 22, 13, 24])

        // An insertion is of one store, where its destinations are.
        for (store, region, isThere) in [
            (stores.first, "Honshu", true), (stores.second, "Chile", true),
            (stores.second, "Honshu", false),
        ] {
            var number = 0
            var request = BatchInsertRequest(Quake.self) { row in
                number += 1
                row[\.code] = "\(region) \(number)"
                row[\.region, \.name] = region
                return number > 3
            }
            request.affectedStores = [store]
            request.resultType = .objectIDs
            if isThere {
                let ids = try context.execute(request).objectIDs
                #expect(ids.count == 3 && ids.allSatisfy { $0.store == store })
            } else {
                #expect(contextErrorCode { try context.execute(request) } == .invalidRequest)
            }
        }
        #expect(try context.count(for: FetchRequest<Quake>()) == 10)

        let ids = [all[0], all[3]].map(\.objectID)
        #expect(try context.execute(BatchDeleteRequest(objectIDs: ids)).count == 2)
        let limited = BatchDeleteRequest(FetchRequest<Quake>().sorted(by: \.code).limit(3))
        #expect(contextErrorCode { try context.execute(limited) } == .invalidRequest)
        #expect(
            try context.execute(BatchDeleteRequest(FetchRequest<Region>())).count == 2)
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aStoreThatIsOnlyReadRefuses(kind: StoreKind) throws {
        let description = kind.description
        let writer = try PersistentContainer.open(model: Seismology.model, stores: [description])
        _ = writer.viewContext.insertQuake("a", magnitude: 3)
        try writer.viewContext.save()
        try writer.close()
        let context = try PersistentContainer.open(
            model: Seismology.model, stores: [description.readOnly()]
        ).viewContext
        #expect(
            contextErrorCode {
                try context.execute(BatchInsertRequest(Quake.self, objects: [["code": "b"]]))
            } == .unknownStore)
        #expect(
            storeErrorCode {
                try context.execute(BatchUpdateRequest<Quake>().set(\.magnitude, to: 1))
            } == .readOnly)
        #expect(try context.fetch(FetchRequest<Quake>()).map(\.magnitude) == [3])
    }

    @Test func aStoreWithoutBatchesSaysSo() throws {
        let context = try PersistentContainer.open(
            model: Seismology.model, stores: [PersistentStoreDescription.memory().walking]
        ).viewContext
        _ = context.insertQuake("a")
        try context.save()
        #expect(
            storeErrorCode {
                try context.execute(BatchDeleteRequest(FetchRequest<Quake>()))
            } == .unsupported)
        #expect(try context.count(for: FetchRequest<Quake>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildReachesTheStoreThroughItsParents(kind: StoreKind) throws {
        let container = try kind.container()
        let parent = container.viewContext
        let quake = parent.insertQuake("a", magnitude: 1)
        try parent.save()
        let child = ManagedObjectContext(parent: parent)
        let own = try child.existingObject(with: quake.objectID, as: Quake.self)
        try child.execute(
            BatchUpdateRequest<Quake>().set(\.magnitude, to: { $0.magnitude + 1 }))
        #expect(own.magnitude == 2 && quake.magnitude == 2)
        try child.execute(BatchInsertRequest(Quake.self, objects: [["code": "b"]]))
        #expect(
            try child.fetch(FetchRequest<Quake>().sorted(by: \.code)).map(\.code) == ["a", "b"])
        #expect(!parent.hasChanges && !child.hasChanges)
    }
}
