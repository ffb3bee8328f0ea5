import Duramen
import DuramenTestKit
import Testing

/// What listeners outside of a context are told.
@MainActor
@Suite(.serialized)
struct NotificationTests {
    @Test(
        "A listener hears the IDs of a save, its author and its store's generation",
        arguments: StoreKind.allCases)
    func save(kind: StoreKind) async throws {
        let container = try kind.container()
        let context = container.makeContext(ContextOptions(name: "import", author: "robot"))
        let mine = context.notifications()
        let all = container.notifications()
        let (first, second) = (context.insertQuake("us1"), context.insertQuake("us2"))
        let tag = context.insertTag("felt")
        let temporary = [first, second].map(\.objectID) + [tag.objectID]
        try context.save()
        let inserted = ([first.objectID, second.objectID, tag.objectID] as [ManagedObjectID])
            .sorted()
        var listener = mine.makeAsyncIterator()
        guard case .objectsDidChange(let changes)? = await listener.next() else {
            Issue.record("no change was told")
            return
        }
        #expect(changes.inserted == temporary.sorted() && changes.updated.isEmpty)
        #expect(await listener.next() == .willSave)
        guard case .didSave(let saved)? = await listener.next() else {
            Issue.record("no save was told")
            return
        }
        #expect(saved.inserted == inserted && saved.updated.isEmpty && saved.deleted.isEmpty)
        #expect(saved.contextName == "import" && saved.author == "robot")
        #expect(saved.store == container.stores[0] && saved.generation != nil)
        var others = all.makeAsyncIterator()
        #expect(await others.next() == .didSave(saved))
        // A pair is a change of both ends.
        first.tags.insert(tag)
        context.delete(second)
        try context.save()
        guard case .didSave(let next)? = await others.next() else {
            Issue.record("no save was told")
            return
        }
        #expect(next.updated == [first.objectID, tag.objectID].sorted())
        #expect(next.deleted == [second.objectID] && next.generation != saved.generation)
    }

    @Test("A listener hears nothing of saves without changes, and of none that fails")
    func quietSaves() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        try context.save()
        let all = container.notifications()
        try context.save()
        let invalid = Region(context: context)
        _ = try #require(throws: ValidationError.self) { try context.save() }
        context.delete(invalid)
        quake.magnitude = 4
        quake.magnitude = 1
        // Nothing is to be written.
        try context.save()
        quake.magnitude = 5
        try context.save()
        var listener = all.makeAsyncIterator()
        guard case .didSave(let saved)? = await listener.next() else {
            Issue.record("no save was told")
            return
        }
        #expect(saved.updated == [quake.objectID] && saved.inserted.isEmpty)
    }

    @Test("A save is told before others merge it", arguments: StoreKind.allCases)
    func orderOfSaveAndMerge(kind: StoreKind) async throws {
        let container = try kind.container()
        let viewed = container.viewContext.notifications()
        let all = container.notifications()
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let quake = context.insertQuake("us1")
            try context.save()
            return quake.objectID
        }
        var merges = viewed.makeAsyncIterator()
        guard case .didMerge(let merged)? = await merges.next() else {
            Issue.record("no merge was told")
            return
        }
        #expect(merged.inserted == [id])
        // Waits no more: it was told before.
        var saves = all.makeAsyncIterator()
        guard case .didSave(let saved)? = await saves.next() else {
            Issue.record("no save was told")
            return
        }
        #expect(saved.inserted == [id])
    }

    @Test("A slow listener holds nobody up, and is told that it missed something")
    func slowListener() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let slow = container.notifications()
        var last: ManagedObjectID?
        for number in 0..<1_030 {
            last = context.insertQuake("us\(number)").objectID
            try context.save()
        }
        var listener = slow.makeAsyncIterator()
        #expect(await listener.next() == .missed)
        var told: [ManagedObjectID] = []
        for _ in 0..<6 {
            if case .didSave(let saved)? = await listener.next() { told += saved.inserted }
        }
        #expect(told.count == 6 && last?.isTemporaryID == true)
        let quake = context.insertQuake("next")
        try context.save()
        guard case .didSave(let saved)? = await listener.next() else {
            Issue.record("no save was told")
            return
        }
        #expect(saved.inserted == [quake.objectID])
    }

    @Test("Each listener hears everything from its beginning on")
    func severalListeners() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let first = container.notifications()
        _ = context.insertQuake("us1")
        try context.save()
        let second = container.notifications()
        _ = context.insertQuake("us2")
        try context.save()
        var (early, late) = (first.makeAsyncIterator(), second.makeAsyncIterator())
        let heard = [await early.next(), await early.next()]
        #expect(heard.allSatisfy { $0 != nil } && heard[0] != heard[1])
        #expect(await late.next() == heard[1])
    }

    @Test("Waiting ends with the task, and with the context")
    func endings() async throws {
        let container = try makeContainer()
        let all = container.notifications()
        let waiting = Task {
            var count = 0
            for await _ in all { count += 1 }
            return count
        }
        await Task.yield()
        waiting.cancel()
        #expect(await waiting.value == 0)
        var context: ManagedObjectContext? = container.makeContext()
        let ending = try #require(context?.notifications())
        let listening = Task {
            var heard: [ContextNotification] = []
            for await notification in ending { heard.append(notification) }
            return heard
        }
        _ = context?.insertQuake("us1")
        try context?.save()
        context = nil
        #expect(await listening.value.count == 3)
    }

    @Test("Stores that come and go are told")
    func stores() async throws {
        let container = try makeContainer()
        let all = container.notifications()
        let description = StoreKind.sqlite.description
        let store = try container.persistentStoreCoordinator.addStore(description)
        try container.removeStore(store)
        var listener = all.makeAsyncIterator()
        #expect(await listener.next() == .willAddStore(location: description.location))
        #expect(await listener.next() == .didAddStore(store))
        #expect(await listener.next() == .willRemoveStore(store))
        #expect(await listener.next() == .didRemoveStore(store))
    }

    @Test("A save of several stores tells of each", arguments: TwoStores.Kinds.all)
    func severalStores(kinds: TwoStores.Kinds) async throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.viewContext
        let all = stores.container.notifications()
        for quake in try context.fetch(FetchRequest<Quake>()) { quake.magnitude = 9 }
        try context.save()
        var listener = all.makeAsyncIterator()
        var told: [StoreHandle: Int] = [:]
        for _ in 0..<2 {
            if case .didSave(let saved)? = await listener.next() {
                told[saved.store] = saved.updated.count
            }
        }
        #expect(told == [stores.first: 2, stores.second: 2])
    }

    @Test(
        "A save of unknown outcome is told when it turns out to be committed",
        arguments: StoreKind.allCases)
    func unknownOutcome(kind: StoreKind) async throws {
        let plan = FaultPlan()
        let container = try kind.container(plan: plan)
        let context = container.viewContext
        _ = context.insertQuake("us0")
        try context.save()
        let all = container.notifications()
        let quake = context.insertQuake("us1")
        plan.fail(.save, with: .unknownOutcome, .after)
        _ = try #require(throws: StoreError.self) { try context.save() }
        try context.save()
        var listener = all.makeAsyncIterator()
        guard case .didSave(let saved)? = await listener.next() else {
            Issue.record("no save was told")
            return
        }
        #expect(saved.inserted == [quake.objectID] && saved.generation == nil)
    }
}
