import Duramen
import DuramenTestKit
import Testing

/// Saves of which the store cannot say whether they were committed.
@Suite struct UnknownOutcomeTests {
    /// A container whose saves fail as a plan says, with a region and two quakes in it.
    private func fixture(
        _ kind: StoreKind
    ) throws -> (PersistentContainer, ManagedObjectContext, FaultPlan) {
        let plan = FaultPlan()
        let container = try kind.container(plan: plan)
        let context = container.makeContext(ContextOptions(name: "mine"))
        let region = context.insertRegion("Honshu")
        _ = context.insertQuake("a", magnitude: 1, in: region)
        _ = context.insertQuake("b", magnitude: 2, in: region)
        _ = context.insertTag("felt")
        try context.save()
        return (container, context, plan)
    }

    private func fails(_ context: ManagedObjectContext) throws {
        let error = #expect(throws: StoreError.self) { try context.save() }
        try #require(error?.code == .unknownOutcome)
        #expect(context.hasSaveOfUnknownOutcome)
        #expect(context.hasChanges)
    }

    /// What a new context sees: code, magnitude, region and tags of each quake.
    private func stored(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map { quake in
            let tags = quake.tags.map(\.name).sorted().joined(separator: ",")
            return "\(quake.code) \(quake.magnitude) \(quake.region?.name ?? "-") \(tags)"
        }
    }

    /// One change of every kind.
    private func edit(_ context: ManagedObjectContext) throws {
        let tag = try #require(try context.fetch(FetchRequest<Tag>()).first)
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 7
        quake.tags.insert(tag)
        _ = context.insertQuake("c", magnitude: 3, in: quake.region)
        context.delete(try #require(try context.quake("b")))
    }

    private let edited = ["a 7.0 Honshu felt", "c 3.0 Honshu "]

    @Test(
        "A save that was written after all is taken as done, once",
        arguments: StoreKind.allCases)
    func aWrittenSaveIsTakenAsDone(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        let other = container.makeContext(ContextOptions(name: "other"))
        let region = try #require(try other.fetch(FetchRequest<Region>()).first)
        let theirs = try #require(try other.quake("a"))
        #expect(region.quakes.count == 2)
        try edit(context)
        let saves = plan.count(of: .save)
        plan.fail(.save, with: .unknownOutcome, .after)
        try fails(context)
        other.processPendingChanges()
        #expect(theirs.magnitude == 1, "nobody is told of what nobody knows")
        try context.save()
        #expect(plan.count(of: .save) == saves + 1, "it is not saved twice")
        #expect(!context.hasChanges)
        #expect(!context.hasSaveOfUnknownOutcome)
        #expect(try stored(container) == edited)
        other.processPendingChanges()
        #expect(theirs.magnitude == 7)
        #expect(region.quakes.map(\.code).sorted() == ["a", "c"])
        // The versions are those that the store gave.
        try #require(try context.quake("a")).magnitude = 8
        try #require(try context.quake("c")).magnitude = 4
        try context.save()
        #expect(try stored(container) == ["a 8.0 Honshu felt", "c 4.0 Honshu "])
    }

    @Test("A save that was not written is made again", arguments: StoreKind.allCases)
    func anUnwrittenSaveIsMadeAgain(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        try edit(context)
        for _ in 0..<3 {
            plan.fail(.save, with: .unknownOutcome)
            try fails(context)
        }
        #expect(try stored(container).count == 2)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored(container) == edited)
    }

    @Test(
        "What is edited between the two attempts comes on top",
        arguments: StoreKind.allCases, FaultPlan.Moment.allCases)
    func editsInBetweenComeOnTop(kind: StoreKind, moment: FaultPlan.Moment) throws {
        let (container, context, plan) = try fixture(kind)
        try edit(context)
        let extra = context.insertQuake("d", magnitude: 4)
        plan.fail(.save, with: .unknownOutcome, moment)
        try fails(context)
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 9
        quake.tags.removeAll()
        try #require(try context.quake("c")).region = nil
        context.delete(extra)
        _ = context.insertQuake("e", magnitude: 5, in: quake.region)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored(container) == ["a 9.0 Honshu ", "c 3.0 - ", "e 5.0 Honshu "])
        let region = try #require(quake.region)
        #expect(region.quakes.map(\.code).sorted() == ["a", "e"])
    }

    @Test(
        "Pairs that new objects get between the two attempts are saved",
        arguments: StoreKind.allCases, FaultPlan.Moment.allCases)
    func pairsOfNewObjectsAreSaved(kind: StoreKind, moment: FaultPlan.Moment) throws {
        let (container, context, plan) = try fixture(kind)
        let quake = context.insertQuake("c", magnitude: 3)
        let (kept, dropped) = (context.insertTag("deep"), context.insertTag("near"))
        quake.tags.insert(dropped)
        plan.fail(.save, with: .unknownOutcome, moment)
        try fails(context)
        quake.tags.insert(kept)
        quake.tags.remove(dropped)
        #expect(try context.resolveUnknownSave() == (moment == .after))
        #expect(context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
        #expect(quake.tags.map(\.name) == ["deep"])
        #expect(kept.quakes.map(\.code) == ["c"])
        #expect(dropped.quakes.isEmpty)
        #expect(try stored(container).last == "c 3.0 - deep")
    }

    @Test(
        "A new object deleted between the two attempts knows what others made of it when it comes back",
        arguments: StoreKind.allCases)
    func deletedNewObjectsComeBackAsStored(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        let region = context.insertRegion("Kyushu")
        plan.fail(.save, with: .unknownOutcome, .after)
        try fails(context)
        context.delete(region)
        context.processPendingChanges()
        let other = container.makeContext()
        let theirs = try other.existingObject(with: region.objectID, as: Region.self)
        try #require(try other.quake("a")).region = theirs
        try other.save()
        #expect(try context.resolveUnknownSave() == true)
        #expect(region.isDeleted)
        context.rollback()
        context.processPendingChanges()
        #expect(region.quakes.map(\.code) == ["a"])
        #expect(try context.quake("a")?.region === region)
    }

    @Test(
        "A new object that others change between the two attempts keeps its values, and its edits stay here",
        arguments: StoreKind.allCases)
    func changesOfOthersDoNotReachNewObjects(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        let quake = context.insertQuake("c", magnitude: 3)
        plan.fail(.save, with: .unknownOutcome, .after)
        try fails(context)
        let other = container.makeContext()
        let theirs = try #require(try other.quake("c"))
        theirs.magnitude = 4
        try other.save()
        context.processPendingChanges()
        #expect(quake.magnitude == 3)
        quake.magnitude = 9
        #expect(theirs.magnitude == 4)
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [quake.objectID])
        context.rollback()
        #expect(quake.magnitude == 4)
    }

    @Test(
        "A value that is set back between the two attempts is set back",
        arguments: StoreKind.allCases, FaultPlan.Moment.allCases)
    func valuesAreSetBack(kind: StoreKind, moment: FaultPlan.Moment) throws {
        let (container, context, plan) = try fixture(kind)
        let quake = try #require(try context.quake("a"))
        quake.magnitude = 7
        plan.fail(.save, with: .unknownOutcome, moment)
        try fails(context)
        quake.magnitude = 1
        try context.save()
        #expect(try stored(container)[0] == "a 1.0 Honshu ")
    }

    @Test("The outcome can be asked for without saving", arguments: FaultPlan.Moment.allCases)
    func theOutcomeCanBeAskedFor(moment: FaultPlan.Moment) throws {
        let (container, context, plan) = try fixture(.sqlite)
        #expect(try context.resolveUnknownSave() == nil)
        try edit(context)
        plan.fail(.save, with: .unknownOutcome, moment)
        try fails(context)
        _ = context.insertQuake("z")
        #expect(try context.resolveUnknownSave() == (moment == .after))
        #expect(try context.resolveUnknownSave() == nil)
        #expect(context.hasChanges)
        #expect(context.insertedObjects.count == (moment == .after ? 1 : 2))
        #expect(context.deletedObjects.count == (moment == .after ? 0 : 1))
        #expect(try stored(container).count == 2)
    }

    @Test(
        "After a rollback a save that was written is as good as somebody else's",
        arguments: StoreKind.allCases)
    func rollbackGivesUpTheChanges(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        let quake = try #require(try context.quake("a"))
        let region = try #require(quake.region)
        try edit(context)
        plan.fail(.save, with: .unknownOutcome, .after)
        try fails(context)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(quake.magnitude == 1)
        try context.save()
        #expect(!context.hasSaveOfUnknownOutcome)
        #expect(quake.magnitude == 7)
        #expect(region.quakes.map(\.code).sorted() == ["a", "c"])
        #expect(try stored(container) == edited)
        quake.magnitude = 8
        try context.save()
    }

    @Test(
        "What somebody else changed since the save was written is kept, or conflicts",
        arguments: StoreKind.allCases)
    func othersMayComeBetween(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        let (a, b) = (try #require(try context.quake("a")), try #require(try context.quake("b")))
        a.magnitude = 7
        b.magnitude = 7
        plan.fail(.save, with: .unknownOutcome, .after)
        try fails(context)
        try container.saveElsewhere { elsewhere in
            for code in ["a", "b"] { try #require(try elsewhere.quake(code)).magnitude = 5 }
        }
        b.magnitude = 9
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [b.objectID])
        #expect(!context.hasSaveOfUnknownOutcome)
        #expect(a.magnitude == 5)
        try context.refresh(b, mergeChanges: true)
        try context.save()
        #expect(try stored(container) == ["a 5.0 Honshu ", "b 9.0 Honshu "])
    }

    @Test(
        "What somebody else deleted since the save was written is gone, or conflicts",
        arguments: StoreKind.allCases)
    func othersMayDelete(kind: StoreKind) throws {
        let (container, context, plan) = try fixture(kind)
        let (a, b) = (try #require(try context.quake("a")), try #require(try context.quake("b")))
        a.magnitude = 7
        b.magnitude = 7
        plan.fail(.save, with: .unknownOutcome, .after)
        try fails(context)
        try container.saveElsewhere { elsewhere in
            for quake in try elsewhere.fetch(FetchRequest<Quake>()) { elsewhere.delete(quake) }
        }
        b.magnitude = 9
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [b.objectID])
        #expect(a.isDeleted)
        context.rollback()
        try context.save()
        #expect(try stored(container).isEmpty)
    }

    @Test(
        "Whoever saves next finds out for all, also when the context is gone",
        arguments: [true, false])
    func whoeverSavesNextFindsOut(isGone: Bool) throws {
        let (container, first, plan) = try fixture(.sqlite)
        var context: ManagedObjectContext? = container.makeContext()
        let other = container.makeContext(ContextOptions(name: "other"))
        let theirs = try #require(try other.quake("a"))
        context?.delete(try #require(try context?.fetch(FetchRequest<Region>()).first))
        plan.fail(.save, with: .unknownOutcome, .after)
        #expect(throws: StoreError.self) { try context?.save() }
        if isGone { context = nil }
        // Refers to a region that nobody told of as deleted, but that is.
        let late = other.insertQuake("late")
        late.region = theirs.region
        #expect(throws: SaveConflictError.self) { try other.save() }
        other.processPendingChanges()
        #expect(theirs.isDeleted)
        try context?.save()
        #expect(context?.hasChanges != true)
        first.processPendingChanges()
        #expect(try first.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test("A failed store is opened again, and readers of the old one go on")
    func theStoreIsOpenedAgain() throws {
        let (container, context, plan) = try fixture(.sqlite)
        let coordinator = container.persistentStoreCoordinator
        let old = coordinator.store
        let reader = container.newBackgroundContext()
        try reader.performAndWait { reading in
            let quake = try #require(try reading.quake("a"))
            context.insertQuakes()
            plan.fail(.save, with: .unknownOutcome, .after)
            try fails(context)
            plan.fail(.open, with: .io)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .io)
            #expect(context.hasSaveOfUnknownOutcome)
            try context.save()
            #expect(coordinator.store !== old)
            #expect(coordinator.store.handle == old.handle)
            // The state of the unit of work is that of before.
            let region = try #require(quake.region)
            #expect(region.quakes.count == 2)
        }
        let count = try reader.performAndWait { try $0.count(for: FetchRequest<Quake>()) }
        #expect(count == 4)
        #expect(plan.count(of: .open) == 3)
        try container.close()
        #expect(throws: StoreError.self) { try old.metadata() }
    }

    @Test(
        "The store is opened again after a change of its history of unknown outcome",
        arguments: FaultPlan.Moment.allCases)
    func changesOfTheHistoryOpenTheStoreAgain(moment: FaultPlan.Moment) throws {
        let plan = FaultPlan()
        let container = try PersistentContainer.open(
            model: Seismology.model,
            stores: [plan.faulty(StoreKind.sqlite.description.keepingHistory())])
        let context = container.makeContext()
        context.insertQuakes()
        try context.save()
        let consumer = try container.historyConsumer(named: "index", beginning: .now)
        let coordinator = container.persistentStoreCoordinator
        let changes: [() throws -> Void] = [
            { try consumer.acknowledge(try consumer.token()) },
            { try coordinator.execute(.deleteHistory(before: nil)) },
            { try consumer.remove() },
        ]
        for (number, change) in changes.enumerated() {
            let old = coordinator.store
            // The first call of a change asks for what there is; the acknowledgement asks for its
            // token before.
            plan.fail(.history, at: number == 0 ? 4 : 2, with: .unknownOutcome, moment)
            let error = #expect(throws: StoreError.self) { try change() }
            try #require(error?.code == .unknownOutcome)
            _ = context.insertQuake("\(number)")
            try context.save()
            #expect(coordinator.store !== old)
        }
        #expect(try stored(container).count == 5)
    }

    @Test("Metadata of unknown outcome is set again", arguments: FaultPlan.Moment.allCases)
    func metadataIsSetAgain(moment: FaultPlan.Moment) throws {
        let (container, context, plan) = try fixture(.sqlite)
        let coordinator = container.persistentStoreCoordinator
        plan.fail(.save, with: .unknownOutcome, moment)
        #expect(throws: StoreError.self) { try coordinator.setMetadata(["a": .integer(1)]) }
        try coordinator.setMetadata(["a": .integer(1)])
        #expect(try coordinator.metadata().userInfo == ["a": .integer(1)])
        context.insertQuakes()
        try context.save()
    }
}

extension ManagedObjectContext {
    fileprivate func insertQuakes() {
        for code in ["x", "y"] { _ = insertQuake(code, in: nil) }
    }
}
