import Duramen
import DuramenMemory
import DuramenTestKit
import Testing

/// Objects that a save depends on without changing them.
@Suite struct GuardTests {
    /// Quakes a and b of one region, and a context that hears of others' saves when it asks.
    private func fixture(
        _ kind: StoreKind, plan: FaultPlan? = nil
    ) throws -> (PersistentContainer, ManagedObjectContext) {
        let container = try kind.container(plan: plan)
        try container.saveElsewhere { context in
            let region = context.insertRegion("Honshu")
            _ = context.insertQuake("a", magnitude: 1, in: region)
            _ = context.insertQuake("b", magnitude: 2, in: region)
        }
        return (container, container.makeContext(ContextOptions(name: "mine")))
    }

    private func quake(_ code: String, _ context: ManagedObjectContext) throws -> Quake {
        try #require(try context.quake(code))
    }

    @Test("Each of two contexts that reads what the other one writes saves, without guards")
    func writeSkewIsTheDefault() throws {
        let (container, first) = try fixture(.memory)
        let second = container.makeContext()
        let (a, b) = (try quake("a", first), try quake("b", second))
        a.magnitude = try quake("b", first).magnitude
        b.magnitude = try quake("a", second).magnitude
        try first.save()
        try second.save()
        #expect([a.magnitude, b.magnitude] == [2, 1])
    }

    @Test(
        "Of two contexts that guard what the other one writes, only one saves",
        arguments: StoreKind.allCases)
    func guardsExcludeWriteSkew(kind: StoreKind) throws {
        let (container, first) = try fixture(kind)
        let second = container.makeContext()
        let other = try quake("b", first)
        try first.guard(other)
        try quake("a", first).magnitude = other.magnitude
        let mine = try quake("b", second)
        try second.guard(try quake("a", second))
        mine.magnitude = try quake("a", second).magnitude
        try first.save()
        let error = try #require(throws: SaveConflictError.self) { try second.save() }
        let conflict = try #require(error.conflicts.first)
        #expect(error.conflicts.count == 1 && error.coreDataCode == 133_020)
        let guardedID = try quake("a", second).objectID
        #expect(conflict.kind == .version && conflict.objectID == guardedID)
        #expect(conflict.base?["magnitude"] == .double(1))
        #expect(conflict.mine?["magnitude"] == .double(1))
        #expect(conflict.stored?["magnitude"] == .double(2))
        #expect(mine.magnitude == 1 && mine.isUpdated, "the changes are kept")
        #expect(try quake("b", container.makeContext()).magnitude == 2)
        // What is read next is what is stored; decided again, it can be saved.
        let read = try quake("a", second)
        #expect(read.magnitude == 2)
        #expect(throws: SaveConflictError.self) { try second.save() }
        try second.guard(read)
        mine.magnitude = read.magnitude * 2
        try second.save()
        #expect(try quake("b", container.makeContext()).magnitude == 4)
    }

    @Test(
        "A guarded object that is deleted elsewhere conflicts with nothing stored",
        arguments: StoreKind.allCases)
    func aDeletedObjectConflicts(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        let a = try quake("a", context)
        try context.detectConflicts(for: a)
        try quake("b", context).magnitude = 5
        try container.saveElsewhere { $0.delete(try #require(try $0.quake("a"))) }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.objectID) == [a.objectID])
        #expect(error.conflicts.first?.stored == nil)
        #expect(a.isDeleted)
        #expect(throws: ContextError.self) { try context.guard(a) }
        context.rollback()
        #expect(context.guardedObjects.isEmpty)
        try context.save()
    }

    @Test("A save with nothing but guards compares them", arguments: StoreKind.allCases)
    func guardsAloneAreCompared(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        let a = try quake("a", context)
        try context.guard(a)
        #expect(!context.hasChanges && context.guardedObjects == [a])
        try context.save()
        #expect(context.guardedObjects.isEmpty, "a save that succeeds ends them")
        try context.guard(a)
        try container.saveElsewhere { try #require(try $0.quake("a")).magnitude = 3 }
        #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(context.guardedObjects == [a], "a save that fails does not")
        // The version of the row is as it was: nobody else conflicts with a guard.
        let other = container.makeContext()
        let theirs = try quake("a", other)
        try context.refresh(a, mergeChanges: false)
        try context.save()
        theirs.magnitude = 4
        try other.save()
    }

    @Test("A fault is loaded by its guard, and a new object has nothing to compare")
    func faultsAndNewObjects() throws {
        let (container, context) = try fixture(.memory)
        let id = try quake("a", container.makeContext()).objectID
        let fault = context.object(with: id)
        #expect(fault.isFault)
        try context.guard(fault)
        #expect(!fault.isFault)
        let new = context.insertQuake("c")
        try context.guard(new)
        #expect(context.guardedObjects == [fault])
        let nobody = context.object(
            with: ManagedObjectID(store: id.store, entity: id.entityHandle, key: 1_000_000))
        let error = #expect(throws: ContextError.self) { try context.guard(nobody) }
        #expect(error?.code == .objectNotFound)
        try context.save()
        context.delete(new)
        try context.save()
        #expect(throws: ContextError.self) { try context.guard(new) }
    }

    @Test("Values that are merged after the guard conflict, although they are known")
    func mergingDoesNotDefeatGuards() throws {
        let (container, context) = try fixture(.memory)
        let (a, b) = (try quake("a", context), try quake("b", context))
        try context.guard(a)
        b.magnitude = a.magnitude + 10
        try container.saveElsewhere { try #require(try $0.quake("a")).magnitude = 3 }
        context.processPendingChanges()
        #expect(a.magnitude == 3)
        try context.guard(a)
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.first?.base?["magnitude"] == .double(1))
        #expect(error?.conflicts.first?.mine?["magnitude"] == .double(3))
        try context.guard(a)
        try context.save()
    }

    @Test("A refresh renews the guard, and a rollback or reset ends it")
    func refreshRenews() throws {
        let (container, context) = try fixture(.memory)
        let a = try quake("a", context)
        for refresh in [
            { try context.refresh(a, mergeChanges: true) },
            { try context.refresh(a, mergeChanges: false) },
            { try context.refreshAllObjects() },
        ] {
            try context.guard(a)
            try container.saveElsewhere { try #require(try $0.quake("a")).magnitude += 1 }
            #expect(throws: SaveConflictError.self) { try context.save() }
            try refresh()
            #expect(context.guardedObjects == [a])
            // What comes after the refresh conflicts.
            try container.saveElsewhere { try #require(try $0.quake("a")).magnitude += 1 }
            #expect(throws: SaveConflictError.self) { try context.save() }
            try refresh()
            try context.save()
        }
        try context.guard(a)
        context.rollback()
        #expect(context.guardedObjects.isEmpty)
        try context.guard(a)
        context.reset()
        #expect(context.guardedObjects.isEmpty)
    }

    @Test(
        "An object may be guarded and changed: both must fit", arguments: StoreKind.allCases)
    func guardedAndChanged(kind: StoreKind) throws {
        let (container, context) = try fixture(kind)
        let a = try quake("a", context)
        try context.guard(a)
        a.magnitude = 8
        try context.save()
        try context.guard(a)
        a.depth = 10
        // Merging puts the edit on top of the newer values, which the guard does not let through.
        try container.saveElsewhere { try #require(try $0.quake("a")).magnitude = 9 }
        context.processPendingChanges()
        #expect(a.magnitude == 9 && a.isUpdated)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.count == 1)
        try context.guard(a)
        try context.save()
        context.delete(a)
        try context.guard(try quake("b", context))
        try context.save()
    }

    @Test("A guard survives a save of unknown outcome, and ends when it was committed after all")
    func unknownOutcomes() throws {
        let plan = FaultPlan()
        let (container, context) = try fixture(.memory, plan: plan)
        for wasWritten in [true, false] {
            let a = try quake("a", context)
            try context.guard(a)
            try quake("b", context).magnitude += 10
            plan.fail(.save, with: .unknownOutcome, wasWritten ? .after : .before)
            #expect(throws: StoreError.self) { try context.save() }
            #expect(context.guardedObjects == [a])
            try container.saveElsewhere { try #require(try $0.quake("a")).magnitude += 1 }
            if wasWritten {
                try context.save()
                #expect(context.guardedObjects.isEmpty)
            } else {
                #expect(throws: SaveConflictError.self) { try context.save() }
            }
        }
    }

    @Test(
        "Guards of several stores are compared before anything is written",
        arguments: TwoStores.Kinds.all)
    func severalStores(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        let (a, b) = (try quake("a", context), try quake("b", context))
        try context.guard(b)
        a.magnitude = 7
        try stores.container.saveElsewhere { try #require(try $0.quake("b")).magnitude = 5 }
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.objectID) == [b.objectID])
        #expect(try quake("a", stores.container.makeContext()).magnitude == 1)
        try context.guard(b)
        try context.save()
        #expect(context.guardedObjects.isEmpty)
        #expect(try quake("a", stores.container.makeContext()).magnitude == 7)
        // The other store alone.
        try context.guard(b)
        try stores.container.saveElsewhere { try #require(try $0.quake("b")).magnitude = 6 }
        #expect(throws: SaveConflictError.self) { try context.save() }
    }

    @Test("Guarding an object of another context traps")
    func foreignObjectsTrap() async {
        await #expect(processExitsWith: .failure) {
            let container = try makeContainer()
            let other = container.makeContext()
            try? container.makeContext().guard(other.insertQuake("us1"))
        }
    }
}
