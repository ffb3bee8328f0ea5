import Duramen
import Testing

/// Three levels of contexts know each object by one ID, and follow what is saved.
@MainActor
@Suite(.serialized)
struct FamilyTests {
    @Test(arguments: StoreKind.allCases)
    func permanentIDsReachAllLevelsAndIDsTakenEarlierStillLeadThere(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let child = ManagedObjectContext(parent: context)
        let grandchild = ManagedObjectContext(parent: child)
        let stranger = ManagedObjectContext(parent: context)
        let quake = grandchild.insertQuake("a", in: grandchild.insertRegion("Honshu"))
        let region = try #require(quake.region)
        let early = [quake.objectID, region.objectID]
        #expect(early.allSatisfy { $0.isTemporaryID })
        try grandchild.save()
        let inChild = try child.existingObject(with: early[0], as: Quake.self)
        inChild.magnitude = 4
        try child.save()
        #expect(quake.objectID == early[0] && inChild.objectID == early[0])
        try context.save()

        let saved = try #require(try context.quake("a"))
        #expect(!saved.objectID.isTemporaryID)
        for level in [context, child, grandchild, stranger] {
            let found = try level.existingObject(with: early[0], as: Quake.self)
            #expect(found.objectID == saved.objectID)
            #expect(try level.existingObject(with: saved.objectID) === found)
            #expect(found.region?.objectID == saved.region?.objectID)
            #expect(found.region?.quakes.objectIDs == [saved.objectID])
            #expect(!level.hasChanges)
        }
        #expect(quake.objectID == saved.objectID && inChild.objectID == saved.objectID)
        #expect(
            try ManagedObjectContext(parent: context).existingObject(with: early[1])
                .objectID == region.objectID)

        // Nothing is an edit that was none.
        quake.magnitude = 5
        saved.region = nil
        try grandchild.save()
        try child.save()
        #expect(saved.region == nil && saved.magnitude == 5)
        try context.save()
    }

    @Test func obtainedIDsStayThroughAllSaves() throws {
        let context = try makeContainer().viewContext
        let child = ManagedObjectContext(parent: context)
        let grandchild = ManagedObjectContext(parent: child)
        let early = grandchild.insertQuake("a")
        let late = grandchild.insertQuake("b")
        try grandchild.obtainPermanentIDs(for: [early])
        let id = early.objectID
        #expect(!id.isTemporaryID && early.isInserted && late.objectID.isTemporaryID)
        try grandchild.save()
        try child.save()
        // It is new two levels up only.
        let temporary = late.objectID
        try grandchild.obtainPermanentIDs(for: [late])
        #expect(!late.objectID.isTemporaryID)
        #expect(context.object(with: temporary).objectID == late.objectID)
        #expect(context.object(with: late.objectID).isInserted)
        try context.save()
        #expect(early.objectID == id)
        for level in [context, child, grandchild] {
            #expect(try level.quake("a")?.objectID == id)
            #expect(try level.quake("b")?.objectID == late.objectID)
        }
    }

    @Test func aChildSeesASiblingsSaveThroughTheirParent() async throws {
        let context = try makeContainer().viewContext
        let region = context.insertRegion("Honshu")
        _ = context.insertQuake("a", magnitude: 1, in: region)
        try context.save()
        let first = ManagedObjectContext(parent: context)
        let second = ManagedObjectContext(parent: context)
        let third = ManagedObjectContext(
            parent: context, options: ContextOptions(automaticallyMergesChangesFromParent: false))
        let seen = try [first, second, third].map { try #require(try $0.quake("a")) }
        seen[1].depth = 10
        let honshu = try #require(seen[1].region)
        #expect(honshu.quakes.count == 1)
        seen[0].magnitude = 8
        seen[0].region = nil
        _ = first.insertQuake("b", in: try first.fetch(FetchRequest<Region>()).first)
        try first.save()
        #expect(seen[1].magnitude == 1)
        #expect(await eventually { seen[1].magnitude == 8 })
        #expect(seen[1].depth == 10 && seen[1].region == nil)
        #expect(honshu.quakes.map(\.code) == ["b"])
        #expect(seen[2].magnitude == 1)
        try third.refresh(seen[2], mergeChanges: true)
        #expect(seen[2].magnitude == 8)
    }

    @Test(arguments: StoreKind.allCases)
    func savesElsewhereReachGrandchildrenBesideTheirEdits(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let region = context.insertRegion("Honshu")
        for code in ["a", "b"] { _ = context.insertQuake(code, magnitude: 1, in: region) }
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let grandchild = ManagedObjectContext(parent: child)
        let mine = try #require(try grandchild.quake("a"))
        let doomed = try #require(try grandchild.quake("b"))
        let honshu = try #require(mine.region)
        #expect(honshu.quakes.count == 2)
        mine.depth = 5
        try container.saveElsewhere { other in
            try #require(try other.quake("a")).magnitude = 9
            other.delete(try #require(try other.quake("b")))
            _ = other.insertQuake("c", in: try other.fetch(FetchRequest<Region>()).first)
        }
        context.processPendingChanges()
        #expect(mine.magnitude == 9 && mine.depth == 5 && doomed.isDeleted)
        #expect(honshu.quakes.map(\.code).sorted() == ["a", "c"])
        #expect(grandchild.deletedObjects == [doomed])
        try grandchild.save()
        try child.save()
        try context.save()
        let other = container.makeContext()
        #expect(try other.quake("a")?.depth == 5)
    }

    @Test func whatTheParentRollsBackIsGoneFromTheChild() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("a", magnitude: 1)
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.quake("a"))
        mine.magnitude = 2
        let new = child.insertQuake("b")
        try child.save()
        context.rollback()
        context.processPendingChanges()
        #expect(quake.magnitude == 1 && mine.magnitude == 1 && new.isDeleted)
        new.magnitude = 3
        let second = ManagedObjectContext(parent: context)
        second.delete(try #require(try second.quake("a")))
        try second.save()
        context.processPendingChanges()
        #expect(mine.isDeleted)
        context.rollback()
        context.processPendingChanges()
        #expect(!mine.isDeleted && mine.magnitude == 1)
        #expect(throws: SaveConflictError.self) { try child.save() }
        child.rollback()
        try child.save()
    }

    @Test func aResetOfTheParentLeavesWhatIsStored() throws {
        let context = try makeContainer().viewContext
        _ = context.insertQuake("a", magnitude: 1)
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.quake("a"))
        try #require(try context.quake("a")).magnitude = 2
        context.processPendingChanges()
        #expect(mine.magnitude == 2)
        context.reset()
        context.processPendingChanges()
        #expect(mine.magnitude == 1)
    }

    @Test(arguments: TwoStores.Kinds.all)
    func aFamilyOverTwoStoresSavesToBoth(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        let child = ManagedObjectContext(parent: context)
        let grandchild = ManagedObjectContext(parent: child)
        for quake in try grandchild.fetch(FetchRequest<Quake>()) { quake.magnitude += 10 }
        let chile = try #require(
            try grandchild.fetch(FetchRequest<Region>().where { $0.name == "Chile" }).first)
        let new = grandchild.insertQuake("e")
        try grandchild.assign(new, to: stores.second)
        new.region = chile
        let early = new.objectID
        try grandchild.save()
        #expect(try child.existingObject(with: early, as: Quake.self).region?.name == "Chile")
        #expect(child.object(with: early).hasChanges)
        try child.save()
        try context.save()
        #expect(new.objectID.store == stores.second)
        #expect(
            try stores.stored(in: [stores.second])
                == ["b 12.0 Chile", "d 14.0 Chile", "e 1.0 Chile"])
        #expect(try stores.stored(in: [stores.first]) == ["a 11.0 Honshu", "c 13.0 Honshu"])
        new.region = try grandchild.fetch(FetchRequest<Region>().where { $0.name == "Honshu" })
            .first
        #expect(throws: ValidationError.self) { try grandchild.save() }
        grandchild.rollback()
        #expect(new.region === chile)
    }

    @Test func aChildOfABackgroundContextEndsWithItsUnitOfWork() async throws {
        let container = try makeContainer()
        let background = container.newBackgroundContext()
        let codes = try await background.perform { context in
            _ = context.insertQuake("a")
            let child = ManagedObjectContext(parent: context)
            _ = child.insertQuake("b")
            try child.save()
            let dropped = ManagedObjectContext(parent: context)
            _ = dropped.insertQuake("c")
            try context.save()
            return try dropped.fetch(FetchRequest<Quake>().sorted(by: \.code)).map(\.code)
        }
        #expect(codes == ["a", "b", "c"])
        #expect(try container.viewContext.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test func aBackgroundChildWorksBetweenTheClosuresOfItsParent() async throws {
        let container = try makeContainer()
        let background = container.newBackgroundContext()
        let child = await background.newChildContext(ContextOptions(name: "sheet"))
        let id = try await background.perform { context in
            let quake = context.insertQuake("a", magnitude: 1)
            try context.save()
            return quake.objectID
        }
        try await child.perform { context in
            #expect(context.name == "sheet")
            context.object(with: id, as: Quake.self).magnitude = 2
            try context.save()
        }
        let pending = await background.perform { context in
            context.object(with: id, as: Quake.self).magnitude
        }
        #expect(pending == 2)
        #expect(try container.viewContext.existingObject(with: id, as: Quake.self).magnitude == 1)
        try container.saveElsewhere { other in try #require(try other.quake("a")).depth = 7 }
        let depth = child.performAndWait { $0.object(with: id, as: Quake.self).depth }
        #expect(depth == 7)
        let name = background.performAndWait { _ in child.performAndWait { $0.name } }
        #expect(name == "sheet")
        try await background.perform { try $0.save() }
        #expect(try await eventually { try container.viewContext.quake("a")?.magnitude == 2 })
    }

    @Test(arguments: StoreKind.allCases)
    func uniqueValuesAreComparedBeforeASave(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let stored = context.insertQuake("a")
        try context.save()
        let pending = context.insertQuake("b")
        let child = ManagedObjectContext(parent: context)
        #expect(try child.uniquenessConflicts().isEmpty)
        let quakes = ["a", "b", "c", "c", "d"].map { child.insertQuake($0) }
        let conflicts = try child.uniquenessConflicts()
        #expect(conflicts.map(\.objectID) == quakes.prefix(3).map(\.objectID))
        let others = [stored, pending, quakes[3]].map(\.objectID)
        #expect(
            conflicts.map(\.kind)
                == others.map { SaveConflict.Kind.uniqueness(properties: ["code"], with: $0) })
        for (quake, code) in zip(quakes, ["e", "f", "g"]) { quake.code = code }
        #expect(try child.uniquenessConflicts().isEmpty)
        // Who exchanges values has no conflict.
        let mine = try #require(try child.quake("a"))
        (mine.code, quakes[4].code) = (quakes[4].code, mine.code)
        #expect(try child.uniquenessConflicts().isEmpty)
        try child.save()
        try context.save()
    }

    @Test(
        "A pair that ended with the deletion of one object does not conflict with that of the other",
        arguments: StoreKind.allCases)
    func aPairOfADeletedObject(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let first = ManagedObjectContext(parent: context)
        let second = ManagedObjectContext(parent: context)
        _ = context.insertTag("t")
        _ = context.insertQuake("q")
        let tag = try #require(try first.fetch(FetchRequest<Tag>()).first)
        try first.quake("q")?.tags.insert(tag)
        second.delete(try #require(try second.quake("q")))
        try context.save()
        try first.save()
        try second.save()
        try container.saveElsewhere(deleteTag)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
        #expect(try context.count(for: FetchRequest<Tag>()) == 0)
    }

    @Test(
        "A pair of a new object that was deleted before its save does not conflict either",
        arguments: StoreKind.allCases)
    func aPairOfAForgottenObject(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let tag = context.insertTag("t")
        try context.save()
        for obtainsID in [false, true] {
            let quake = context.insertQuake("q")
            if obtainsID { try context.obtainPermanentIDs(for: [quake]) }
            quake.tags.insert(tag)
            context.delete(quake)
        }
        _ = context.insertQuake("r")
        try container.saveElsewhere(deleteTag)
        try context.save()
        #expect(try context.fetch(FetchRequest<Quake>()).map(\.code) == ["r"])
    }

    private func deleteTag(in context: ManagedObjectContext) throws {
        context.delete(try #require(try context.fetch(FetchRequest<Tag>()).first))
    }
}
