import Testing

@testable import Duramen

struct LazyFetchTests {
    private func container(_ kind: StoreKind, quakes: Int) throws -> PersistentContainer {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<quakes {
                let quake = context.insertQuake(
                    "q\(10_000 + number)", magnitude: Double(number % 10))
                if number % 7 == 0 { quake.region = context.insertRegion("R\(number)") }
            }
        }
        return container
    }

    private var sorted: FetchRequest<Quake> { FetchRequest<Quake>().sorted(by: \.code) }

    @Test("IDs are read first, and rows batch by batch", arguments: StoreKind.allCases)
    func batches(kind: StoreKind) throws {
        let container = try container(kind, quakes: 1_000)
        let context = container.makeContext()
        var list: LazyFetchResults<Quake>?
        let first = try container.statements {
            list = try context.fetchLazily(sorted.batches(of: 50))
        }
        let quakes = try #require(list)
        let arithmetic = container.statements {
            #expect(quakes.count == 1_000 && !quakes.isEmpty && quakes.batchSize == 50)
            #expect(quakes.objectIDs.count == 1_000)
            #expect(quakes.index(quakes.startIndex, offsetBy: 700) == 700)
            #expect(quakes[100..<200].dropFirst(10).count == 90)
            #expect(quakes.lazy.map(\.code).count == 1_000)
            _ = quakes.reversed().lazy.filter { $0.magnitude == 3 }
        }
        #expect(first == 1 && arithmetic == 0)
        let rows = container.store.counters.rowsDecoded
        let one = container.statements {
            #expect(quakes[470].code == "q10470" && quakes[499].code == "q10499")
        }
        #expect(one == 1 && container.store.counters.rowsDecoded - rows == 50)
        let last = container.statements { #expect(quakes.last?.code == "q10999") }
        #expect(last == 1)
        // Objects of the first two batches may still be in memory when the walk comes by.
        let walk = container.statements { #expect(quakes.map(\.code).count == 1_000) }
        #expect((18...20).contains(walk))
    }

    @Test("A lazy result is the same list as an array", arguments: StoreKind.allCases)
    func sameAsArray(kind: StoreKind) throws {
        let container = try container(kind, quakes: 333)
        let context = container.makeContext()
        for request in [
            sorted, sorted.limit(100).offset(7), sorted.where { $0.magnitude >= 5 },
            sorted.sorted(by: \.magnitude), sorted.where { $0.code == "none" },
        ] {
            let array = try context.fetch(request)
            for size in [1, 7, 100, 1_000] {
                let lazy = try context.fetchLazily(request.batches(of: size))
                #expect(lazy.elementsEqual(array) && Array(lazy) == array)
                #expect(lazy.reversed().elementsEqual(array.reversed()))
                #expect(lazy.filter { $0.magnitude == 7 } == array.filter { $0.magnitude == 7 })
                #expect(lazy.indices.map { lazy[$0] } == array)
            }
        }
    }

    @Test(
        "A walk keeps a few batches in memory, and what somebody holds",
        arguments: StoreKind.allCases)
    func memory(kind: StoreKind) throws {
        let container = try container(kind, quakes: 2_000)
        let background = container.newBackgroundContext()
        let (most, left) = try background.performAndWait { context in
            let quakes = try context.fetchLazily(sorted.batches(of: 20))
            var held: [Quake] = []
            var most = 0
            for (place, quake) in quakes.enumerated() {
                // What the objects lead to goes with them.
                _ = quake.region?.name
                if place == 5 { held.append(quake) }
                if place % 20 == 19 { most = max(most, context.registeredObjectCount) }
            }
            #expect(held[0] === quakes[5] && held[0].code == "q10005")
            return (most, context.registeredObjectCount)
        }
        #expect(most < 8 * 20 && left < 8 * 20)
        // The unit of work has ended, and so has the list.
        #expect(background.performAndWait { $0.registeredObjects.isEmpty })
    }

    @Test(
        "Unsaved changes take part, and new objects are in the list", arguments: StoreKind.allCases)
    func unsavedChanges(kind: StoreKind) throws {
        let container = try container(kind, quakes: 20)
        let context = container.makeContext()
        let new = context.insertQuake("q10004b")
        try #require(try context.quake("q10007")).code = "q10000b"
        context.delete(try #require(try context.quake("q10001")))
        let quakes = try context.fetchLazily(sorted.batches(of: 3))
        #expect(quakes.prefix(3).map(\.code) == ["q10000", "q10000b", "q10002"])
        #expect(quakes.count == 20 && quakes.firstIndex(of: new) == 5 && quakes.contains(new))
        #expect(quakes.objectIDs[5].isTemporaryID)
        try context.save()
        #expect(quakes[5] === new && quakes.firstIndex(of: new) == 5)
        // The list stays as it was.
        let late = context.insertQuake("q1")
        #expect(!quakes.contains(late) && quakes.count == 20)
    }

    @Test("What was deleted elsewhere meanwhile is a fault", arguments: StoreKind.allCases)
    func deletedElsewhere(kind: StoreKind) throws {
        let container = try container(kind, quakes: 10)
        let context = container.makeContext()
        let quakes = try context.fetchLazily(sorted.batches(of: 4))
        try container.saveElsewhere { context in
            context.delete(try #require(try context.quake("q10002")))
        }
        context.processPendingChanges()
        #expect(quakes.count == 10 && quakes[1].code == "q10001" && quakes[3].code == "q10003")
        #expect(quakes[2].isFault)
        #expect(quakes[2].code == "" && quakes[2].faultError != nil)
        #expect(throws: ContextError.self) { try quakes[2].load() }
    }

    @Test("A batch shows the state of its unit of work", arguments: StoreKind.allCases)
    func laterState(kind: StoreKind) throws {
        let container = try container(kind, quakes: 10)
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: true))
        let quakes = try context.fetchLazily(sorted.batches(of: 5))
        #expect(quakes[0].magnitude == 0)
        try container.saveElsewhere { context in
            for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude = 77 }
        }
        #expect(quakes[0].magnitude == 0)
        context.processPendingChanges()
        #expect(quakes[0].magnitude == 77 && quakes[9].magnitude == 77)
    }

    @Test("What is prefetched comes with each batch", arguments: StoreKind.allCases)
    func prefetching(kind: StoreKind) throws {
        let container = try container(kind, quakes: 70)
        let context = container.makeContext()
        let quakes = try context.fetchLazily(
            sorted.prefetching(\.region).batches(of: 35))
        let statements = try container.statements {
            _ = quakes[0]
            try context.faulting(.forbidden) {
                #expect(quakes[..<35].compactMap { $0.region?.name }.count == 5)
            }
        }
        #expect(statements == 2)
    }

    @Test("A lazy result over several stores, and of a child") func partsAndChildren() throws {
        let container = try container(.sqlite, quakes: 30)
        let parent = container.makeContext()
        let new = parent.insertQuake("q10003b")
        let child = ManagedObjectContext(parent: parent)
        let quakes = try child.fetchLazily(sorted.batches(of: 4))
        #expect(quakes.count == 31 && quakes[4].code == "q10003b")
        #expect(quakes[4].objectID == new.objectID && quakes[4] !== new)
        #expect(quakes.map(\.code) == quakes.map(\.code).sorted())
    }

    @Test("Refetched objects are refreshed batch by batch", arguments: StoreKind.allCases)
    func refreshing(kind: StoreKind) throws {
        let container = try container(kind, quakes: 10)
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let known = try context.fetch(sorted)
        try container.saveElsewhere { context in
            for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude = 8 }
        }
        known[1].depth = 6
        var request = sorted.batches(of: 5)
        #expect(try context.fetchLazily(request)[0].magnitude == 0)
        request.shouldRefreshRefetchedObjects = true
        let quakes = try context.fetchLazily(request)
        #expect(quakes[0].magnitude == 8 && known[4].magnitude == 8 && known[5].magnitude == 5)
        #expect(known[1].magnitude == 8 && known[1].depth == 6 && known[1].isUpdated)
    }

    @Test("Wrong requests are refused at once") func wrongRequests() throws {
        let container = try container(.memory, quakes: 3)
        let context = container.makeContext()
        for size in [0, -1] {
            let error = #expect(throws: ContextError.self) {
                try context.fetchLazily(sorted.batches(of: size))
            }
            #expect(error?.code == .invalidRequest)
        }
        let error = #expect(throws: ContextError.self) {
            try context.fetchLazily(FetchRequest<Region>(entityName: "Quake"))
        }
        #expect(error?.code == .invalidRequest)
        #expect(
            try context.fetchLazily(FetchRequest<ManagedObject>(entityName: "Quake")).count == 3)
    }
}

extension ManagedObjectContext {
    /// How many objects the context has registered, without forgetting any.
    var registeredObjectCount: Int { main.tables.map(\.count).reduce(0, +) }
}
