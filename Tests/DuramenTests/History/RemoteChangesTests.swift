import Duramen
import DuramenMemory
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What a container hears of others who write to its stores. Another container in this process is
/// as much another as one in another process: they share nothing but the store.
@MainActor
@Suite(.serialized) struct RemoteChangesTests {
    private func pair(
        _ kind: StoreKind, history: Bool
    ) throws -> (here: PersistentContainer, there: PersistentContainer) {
        var description = kind == .memory ? .memory(UUID().uuidString) : kind.description
        if history { description = description.keepingHistory() }
        func open() throws -> PersistentContainer {
            try PersistentContainer.open(model: Seismology.model, stores: [description])
        }
        return (try open(), try open())
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func objectsToManysAndListsFollowAnotherProcess(kind: StoreKind, history: Bool) async throws {
        let (here, there) = try pair(kind, history: history)
        let context = here.viewContext
        #expect(!here.automaticallyMergesRemoteChanges)
        here.automaticallyMergesRemoteChanges = true
        #expect(here.automaticallyMergesRemoteChanges)
        let region = context.insertRegion("r")
        let other = context.insertRegion("s")
        let quake = context.insertQuake("a", magnitude: 6, in: region)
        let edited = context.insertQuake("b", magnitude: 6, in: region)
        let gone = context.insertQuake("c", magnitude: 6, in: region)
        try context.save()
        let probe = try ListProbe(
            FetchedResultsController(
                fetchRequest: FetchRequest<Quake>().where { $0.magnitude >= 5 }.sorted(by: \.code),
                managedObjectContext: context))
        #expect(region.quakes.count == 3)
        edited.depth = 1

        let ids = (
            quake.objectID, edited.objectID, gone.objectID, region.objectID, other.objectID
        )
        try there.saveElsewhere { context in
            let quake = try context.existingObject(with: ids.0, as: Quake.self)
            quake.magnitude = 7
            quake.region = try context.existingObject(with: ids.4, as: Region.self)
            try context.existingObject(with: ids.1, as: Quake.self).magnitude = 8
            context.delete(try context.existingObject(with: ids.2, as: Quake.self))
            _ = context.insertQuake(
                "d", magnitude: 9, in: try context.existingObject(with: ids.3, as: Region.self))
            _ = context.insertQuake("e", magnitude: 1)
        }
        #expect(
            await eventually { probe.controller.fetchedObjects?.map(\.code) == ["a", "b", "d"] })
        #expect(quake.magnitude == 7 && quake.region === other)
        #expect(edited.magnitude == 8 && edited.depth == 1 && edited.isUpdated)
        #expect(gone.isDeleted)
        #expect(Set(region.quakes.map(\.code)) == ["b", "d"] && other.quakes.map(\.code) == ["a"])
        try probe.check("merged")
        try context.save()

        // Saves here and there in turn: each is known to the other in the end.
        for number in 0..<20 {
            try there.saveElsewhere { _ = $0.insertQuake("t\(number)", magnitude: 6) }
            _ = context.insertQuake("h\(number)", magnitude: 6)
            try context.save()
            context.processPendingChanges()
            try probe.check("after a save here")
        }
        #expect(await eventually { probe.controller.fetchedObjects?.count == 43 })
        try probe.check("in the end")
        here.automaticallyMergesRemoteChanges = false
        try here.close()
        try there.close()
    }

    @Test(arguments: StoreKind.allCases)
    func everyWriterIsHeardOfWithAToken(kind: StoreKind) async throws {
        let (here, there) = try pair(kind, history: true)
        var heard = here.remoteChanges.makeAsyncIterator()
        try here.saveElsewhere { _ = $0.insertQuake("a") }
        let own = try #require(await heard.next(isolation: MainActor.shared))
        #expect(own.isOwn && own.store == here.stores[0])
        #expect(own.historyToken == (try here.currentPersistentHistoryToken()))
        for number in 0..<50 {
            try there.saveElsewhere { _ = $0.insertQuake("t\(number)") }
        }
        let last = try there.currentPersistentHistoryToken()
        var count = 0
        while true {
            let change = try #require(await heard.next(isolation: MainActor.shared))
            count += 1
            #expect(!change.isOwn)
            if change.historyToken == last { break }
        }
        #expect(count <= 50)
        // Nothing is merged by that.
        #expect(!here.automaticallyMergesRemoteChanges)
        try here.close()
        try there.close()
    }

    @Test func aStoreWithoutHistoryIsHeardOfWithoutAToken() async throws {
        let (here, there) = try pair(.sqlite, history: false)
        var heard = here.remoteChanges.makeAsyncIterator()
        try there.saveElsewhere { _ = $0.insertQuake("a") }
        let change = try #require(await heard.next(isolation: MainActor.shared))
        #expect(
            !change.isOwn && change.historyToken == nil && change.storeID == here.stores[0].uuid)
        try here.close()
        try there.close()
    }

    /// What others wrote before a save here is told before it.
    @Test(arguments: StoreKind.allCases)
    func contextsHearOfOthersBeforeOfLaterSavesHere(kind: StoreKind) async throws {
        let (here, there) = try pair(kind, history: true)
        here.automaticallyMergesRemoteChanges = true
        let context = here.viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        let id = quake.objectID
        for round in 0..<50 {
            try there.saveElsewhere {
                try $0.existingObject(with: id, as: Quake.self).magnitude = Double(round)
            }
            // A save of somebody else here, right behind it.
            try here.saveElsewhere { _ = $0.insertQuake("n\(round)") }
            context.processPendingChanges()
            #expect(await eventually { quake.magnitude == Double(round) })
        }
        try here.close()
        try there.close()
    }

    @Test func aStoreThatIsAddedLaterIsFollowedToo() async throws {
        let (here, there) = try pair(.sqlite, history: true)
        here.automaticallyMergesRemoteChanges = true
        let description = StoreKind.lmdb.description.keepingHistory()
        try await here.addStore(description)
        let other = try PersistentContainer.open(model: Seismology.model, stores: [description])
        let context = here.viewContext
        let list = FetchedResultsController(
            fetchRequest: FetchRequest<Quake>().sorted(by: \.code), managedObjectContext: context)
        let probe = try ListProbe(list)
        try other.saveElsewhere { _ = $0.insertQuake("a") }
        try there.saveElsewhere { _ = $0.insertQuake("b") }
        #expect(await eventually { list.fetchedObjects?.map(\.code) == ["a", "b"] })
        try probe.check("both")
        for container in [here, there, other] { try container.close() }
    }
}
