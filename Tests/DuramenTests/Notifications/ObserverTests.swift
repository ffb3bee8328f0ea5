import Duramen
import DuramenTestKit
import Testing

/// What observers inside of a context are told.
@MainActor
@Suite(.serialized)
struct ObserverTests {
    /// The names of what is told, with the codes of quakes.
    private func record(_ context: ManagedObjectContext) -> Recorder {
        let recorder = Recorder()
        context.observe { event, _ in recorder.note(event) }
        return recorder
    }

    private final class Recorder {
        private var lines: [String] = []

        func note(_ event: ContextEvent) {
            switch event {
            case .willSave: lines.append("willSave")
            case .didSave(let saved):
                lines.append(
                    "didSave"
                        + list("inserted", saved.inserted) + list("updated", saved.updated)
                        + list("deleted", saved.deleted))
            case .objectsDidChange(let changes):
                lines.append(
                    "changed" + list("inserted", changes.inserted)
                        + list("updated", changes.updated) + list("deleted", changes.deleted)
                        + list("refreshed", changes.refreshed)
                        + list("invalidated", changes.invalidated)
                        + (changes.invalidatedAll ? " all" : ""))
            case .didMerge(let changes):
                lines.append(
                    "merged \(changes.inserted.count) \(changes.updated.count) \(changes.deleted.count)"
                )
            }
        }

        private func list(_ kind: String, _ objects: Set<ManagedObject>) -> String {
            let names = objects.map { ($0 as? Quake)?.code ?? ($0 as? Region)?.name ?? "?" }
            return names.isEmpty ? "" : " \(kind) \(names.sorted().joined(separator: "+"))"
        }

        func take() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    @Test(
        "A save tells what changed, that it will save, and what it saved",
        arguments: StoreKind.allCases)
    func orderOfASave(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let told = record(context)
        let (first, second) = (context.insertQuake("us1"), context.insertQuake("us2"))
        try context.save()
        #expect(
            told.take() == ["changed inserted us1+us2", "willSave", "didSave inserted us1+us2"])
        first.magnitude = 5
        context.delete(second)
        try context.save()
        #expect(
            told.take() == [
                "changed updated us1 deleted us2", "willSave", "didSave updated us1 deleted us2",
            ])
        try context.save()
        #expect(told.take().isEmpty)
    }

    @Test("An object is told of once per unit of work, and again when it is edited again")
    func repeatedEdits() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1")
        let told = record(context)
        // Dirty before anybody observed.
        quake.magnitude = 2
        context.processPendingChanges()
        #expect(told.take() == ["changed updated us1"])
        context.processPendingChanges()
        #expect(told.take().isEmpty)
        quake.magnitude = 3
        quake.magnitude = 4
        context.processPendingChanges()
        #expect(told.take() == ["changed updated us1"])
        // Set back within the unit: nothing changed.
        quake.magnitude = 5
        quake.magnitude = 4
        context.processPendingChanges()
        #expect(told.take().isEmpty)
    }

    @Test("An object that is made and deleted in one unit of work is not told of")
    func madeAndDeleted() throws {
        let context = try makeContainer().viewContext
        let told = record(context)
        context.delete(context.insertQuake("us1"))
        context.processPendingChanges()
        #expect(told.take().isEmpty)
        let quake = context.insertQuake("us2")
        context.processPendingChanges()
        context.delete(quake)
        context.processPendingChanges()
        #expect(told.take() == ["changed inserted us2", "changed deleted us2"])
    }

    @Test(
        "Members that come and go are a change of the to-many's object",
        arguments: StoreKind.allCases)
    func toManys(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let quake = context.insertQuake("us1", in: north)
        try context.save()
        let told = record(context)
        quake.region = south
        context.processPendingChanges()
        #expect(told.take() == ["changed updated North+South+us1"])
        quake.region = north
        context.processPendingChanges()
        #expect(told.take() == ["changed updated North+South+us1"])
        #expect(north.quakes.count == 1)
        try context.save()
        _ = told.take()
        try container.saveElsewhere { other in
            other.insertQuake("us2").region = try other.fetch(
                FetchRequest<Region>().where { $0.name == "North" }, isolation: nil
            ).first
        }
        context.processPendingChanges()
        #expect(told.take() == ["merged 1 0 0", "changed updated North"])
    }

    @Test("Deletions by delete rules are told of")
    func cascade() throws {
        let context = try makeContainer().viewContext
        let region = context.insertRegion("North")
        _ = context.insertQuake("us1", in: region)
        try context.save()
        let told = record(context)
        context.delete(region)
        context.processPendingChanges()
        #expect(told.take() == ["changed deleted North+us1"])
    }

    @Test("A merge tells the IDs, then the objects that are here", arguments: StoreKind.allCases)
    func merging(kind: StoreKind) throws {
        let container = try kind.container()
        try container.saveElsewhere {
            for code in ["us1", "us2", "us3"] { _ = $0.insertQuake(code) }
        }
        let context = container.viewContext
        let held = try context.fetch(FetchRequest<Quake>())
        let told = record(context)
        try container.saveElsewhere { other in
            let quakes = try other.fetch(FetchRequest<Quake>().sorted(by: \.code), isolation: nil)
            quakes[0].magnitude = 8
            other.delete(quakes[1])
            _ = other.insertQuake("us4")
        }
        context.processPendingChanges()
        #expect(told.take() == ["merged 1 1 1", "changed deleted us2 refreshed us1"])
        withExtendedLifetime(held) {}
    }

    @Test("Refreshing, rolling back and resetting are told of")
    func replacing() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let (first, second) = (context.insertQuake("us1"), context.insertQuake("us2"))
        try context.save()
        let told = record(context)
        try context.refresh(first, mergeChanges: false)
        context.processPendingChanges()
        #expect(told.take() == ["changed refreshed us1"])
        second.magnitude = 9
        context.processPendingChanges()
        let new = context.insertQuake("us3")
        context.processPendingChanges()
        _ = told.take()
        context.rollback()
        context.processPendingChanges()
        #expect(told.take() == ["changed deleted us3 refreshed us2"])
        context.reset()
        context.processPendingChanges()
        #expect(told.take() == ["changed all"])
        withExtendedLifetime(new) {}
    }

    @Test("Objects of a removed store are invalidated")
    func removedStore() throws {
        let stores = try TwoStores(.all[0]).filled()
        let context = stores.container.viewContext
        let held = try context.fetch(FetchRequest<Quake>())
        var invalidated: Set<ManagedObject> = []
        context.observe { event, _ in
            if case .objectsDidChange(let changes) = event { invalidated = changes.invalidated }
        }
        try stores.container.removeStore(stores.second)
        context.processPendingChanges()
        #expect(invalidated == Set(held.filter { $0.objectID.store == stores.second }))
        #expect(invalidated.count == 2)
    }

    @Test("A cancelled observer is told nothing, and others go on")
    func cancelling() throws {
        let context = try makeContainer().viewContext
        var (first, second) = (0, 0)
        let observer = context.observe { _, _ in first += 1 }
        context.observe { _, _ in
            second += 1
            observer.cancel()
        }
        _ = context.insertQuake("us1")
        context.processPendingChanges()
        _ = context.insertQuake("us2")
        context.processPendingChanges()
        #expect(first == 1 && second == 2)
    }

    @Test("What an observer changes before a save is saved")
    func changesBeforeASave() throws {
        let container = try makeContainer()
        let context = container.viewContext
        context.observe { event, context in
            if case .willSave = event, context.insertedObjects.count == 1 {
                _ = context.insertQuake("us2")
            }
        }
        _ = context.insertQuake("us1")
        try context.save()
        #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 2)
    }

    @Test("An idle context tells by itself")
    func idleContext() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let told = record(context)
        let quake = context.insertQuake("us1")
        #expect(await eventually { !told.take().isEmpty })
        quake.magnitude = 7
        #expect(await eventually { told.take() == ["changed updated us1"] })
        try container.saveElsewhere { _ = $0.insertQuake("us2") }
        #expect(await eventually { told.take() == ["merged 1 0 0"] })
    }

    @Test("An observer may let go of the context")
    func lastReference() async throws {
        let container = try makeContainer()
        let owner = ContextOwner(container)
        let ended = await owner.watch()
        #expect(ended)
    }

    private actor ContextOwner {
        private var context: ManagedObjectContext?

        init(_ container: PersistentContainer) {
            let context = container.makeContext()
            self.context = context
            context.attach(to: self)
        }

        func watch() async -> Bool {
            context?.observe { [weak self] _, _ in
                self?.assumeIsolated { $0.context = nil }
            }
            _ = context?.insertQuake("us1")
            var patience = Patience()
            while context != nil, patience.isLeft { await Task.yield() }
            return context == nil
        }
    }

    @Test(
        "A save of unknown outcome tells what it saved when it is resolved",
        arguments: StoreKind.allCases)
    func savesOfUnknownOutcome(kind: StoreKind) async throws {
        let plan = FaultPlan()
        let context = try kind.container(plan: plan).viewContext
        let (first, second) = (context.insertQuake("us1"), context.insertQuake("us2"))
        try context.save()
        let told = record(context)
        var request = FetchRequest<Quake>().sorted(by: \.code)
        request.includesPendingChanges = false
        let list = try FetchedResults(request, in: context)
        let third = context.insertQuake("us3")
        first.magnitude += 1
        context.delete(second)
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context.save() }
        #expect(
            told.take() == ["changed inserted us3 updated us1 deleted us2", "willSave"])
        #expect(try context.resolveUnknownSave() == true)
        #expect(told.take() == ["didSave inserted us3 updated us1 deleted us2"])
        #expect(
            await eventually { list.objects?.objectIDs == [first.objectID, third.objectID] })
        first.magnitude += 1
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context.save() }
        _ = context.insertQuake("us4")
        try context.save()
        #expect(
            told.take() == [
                "changed updated us1", "willSave", "didSave updated us1", "changed inserted us4",
                "willSave", "didSave inserted us4",
            ])
    }

    @Test("An observer of a resolved save may save, also with an unknown outcome")
    func savingWhenResolved() throws {
        let plan = FaultPlan()
        let container = try StoreKind.memory.container(plan: plan)
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        var left = 2
        context.observe { event, context in
            guard case .didSave = event, left > 0 else { return }
            left -= 1
            quake.magnitude += 1
            plan.fail(.save, with: .unknownOutcome, .after)
            #expect(throws: StoreError.self) { try context.save() }
        }
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context.save() }
        quake.depth = 5
        try context.save()
        #expect(left == 0 && !context.hasChanges && !context.hasSaveOfUnknownOutcome)
        let stored = try container.makeContext().quake("us1")
        #expect(stored?.magnitude == 3 && stored?.depth == 5)
    }

    @Test("A conflict that is resolved is told without another unit of work")
    func resolving() async throws {
        let container = try makeContainer(
            options: ContextOptions(automaticallyMergesChangesFromParent: false))
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        let told = record(context)
        quake.magnitude = 3
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(told.take() == ["changed updated us1", "willSave"])
        for _ in 0..<100 { await Task.yield() }
        try context.resolve(error, using: .rollback)
        #expect(await eventually { told.take() == ["changed refreshed us1"] })
        #expect(quake.magnitude == 2)
    }

    @Test("A save of some objects tells of these, and the next one of the others")
    func savesOfSomeObjects() throws {
        let context = try makeContainer().viewContext
        let told = record(context)
        let (first, second) = (context.insertQuake("us1"), context.insertQuake("us2"))
        try context.save(excluding: [second])
        #expect(
            told.take() == ["changed inserted us1+us2", "willSave", "didSave inserted us1"])
        #expect(!first.hasChanges && second.isInserted)
        try context.save()
        #expect(told.take() == ["willSave", "didSave inserted us2"])
    }

    @Test("An observer cannot save some objects while a save is being prepared")
    func savesOfSomeObjectsWithinASave() throws {
        let context = try makeContainer().viewContext
        var refusals: [ContextError.Code] = []
        context.observe { event, context in
            guard case .willSave = event else { return }
            do { try context.save(excluding: []) } catch let error as ContextError {
                refusals.append(error.code)
            } catch { Issue.record(error) }
        }
        _ = context.insertQuake("us1")
        try context.save()
        #expect(refusals == [.invalidRequest] && !context.hasChanges)
    }

    @Test("What is discarded or refreshed is told without another unit of work")
    func discarding() async throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        let told = record(context)
        for isRefreshed in [false, true] {
            quake.magnitude = 2
            #expect(await eventually { told.take() == ["changed updated us1"] })
            if isRefreshed {
                try context.refresh(quake, mergeChanges: false)
            } else {
                context.rollback()
            }
            #expect(await eventually { told.take() == ["changed refreshed us1"] })
        }
    }
}
