import Duramen
import Testing

/// Optimistic locking: what somebody else saved in between is never overwritten.
@MainActor
@Suite(.serialized)
struct ConflictTests {
    @Test(arguments: StoreKind.allCases)
    func aStaleUpdateConflictsWithBaseMineAndStored(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        quake.magnitude = 3
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let conflict = try #require(error.conflicts.first)
        #expect(error.conflicts.count == 1 && error.coreDataCode == 133_020)
        #expect(conflict.kind == .version && conflict.objectID == quake.objectID)
        #expect(conflict.base?["magnitude"] == .double(1))
        #expect(conflict.mine?["magnitude"] == .double(3))
        #expect(conflict.stored?["magnitude"] == .double(2))
        #expect(quake.magnitude == 3 && context.updatedObjects == [quake])
    }

    @Test(arguments: StoreKind.allCases)
    func aStaleDeleteConflictsAndChangesNothing(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        let bystander = context.insertQuake("us2")
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        bystander.magnitude = 9
        context.delete(quake)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.objectID) == [quake.objectID])
        #expect(error.conflicts.first?.base?["magnitude"] == .double(1))
        #expect(error.conflicts.first?.mine == nil)
        #expect(error.conflicts.first?.stored?["magnitude"] == .double(2))
        #expect(quake.isDeleted && context.deletedObjects == [quake])
        try container.saveElsewhere { (other: ManagedObjectContext) throws in
            #expect(try other.quake("us1")?.magnitude == 2)
            #expect(try other.quake("us2")?.magnitude == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anUpdateOfWhatIsDeletedElsewhereConflictsWithNothingStored(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { other in try other.quake("us1").map(other.delete) }
        quake.magnitude = 3
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let conflict = try #require(error.conflicts.first)
        #expect(conflict.kind == .version && conflict.stored == nil)
        #expect(conflict.base?["magnitude"] == .double(1))
        #expect(conflict.mine?["magnitude"] == .double(3))
        #expect(throws: ContextError.self) { try context.refresh(quake, mergeChanges: true) }
        context.rollback()
        #expect(!context.hasChanges)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeleteOfWhatIsDeletedElsewhereConflicts(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { other in try other.quake("us1").map(other.delete) }
        context.delete(quake)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.objectID) == [quake.objectID])
        #expect(error.conflicts.first?.stored == nil && error.conflicts.first?.mine == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aNewObjectWithATakenUniqueValueConflicts(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        try container.saveElsewhere { _ = $0.insertQuake("us1", magnitude: 2) }
        let quake = context.insertQuake("us1", magnitude: 3)
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let conflict = try #require(error.conflicts.first)
        let taken = try #require(
            try context.fetch(FetchRequest<Quake>().where { $0.magnitude == 2 }).first)
        #expect(conflict.kind == .uniqueness(properties: ["code"], with: taken.objectID))
        #expect(error.conflicts.count == 1 && error.coreDataCode == 133_021)
        #expect(conflict.objectID == quake.objectID && conflict.base == nil)
        #expect(conflict.mine?["magnitude"] == .double(3))
        #expect(conflict.stored?["magnitude"] == .double(2))
        #expect(quake.isInserted)
        quake.code = "us2"
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func twoNewObjectsWithOneUniqueValueConflictWithoutAStoredRow(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let first = context.insertQuake("us1")
        let second = context.insertQuake("us1")
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let involved = Set(error.conflicts.map(\.objectID))
        #expect(!involved.isEmpty && involved.isSubset(of: [first.objectID, second.objectID]))
        #expect(error.conflicts.allSatisfy { $0.stored == nil && $0.kind != .version })
        context.delete(second)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func allConflictsAreListedAtOnce(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quakes = (0..<5).map { context.insertQuake("us\($0)") }
        try context.save()
        try container.saveElsewhere { other in
            for number in 0..<3 { try other.quake("us\(number)")?.magnitude = 7 }
            _ = other.insertQuake("new")
        }
        for quake in quakes.dropLast() { quake.magnitude = 8 }
        context.delete(quakes[4])
        context.delete(quakes[2])
        let duplicate = context.insertQuake("new")
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        let versions = error.conflicts.filter { $0.kind == .version }.map(\.objectID)
        let others = error.conflicts.filter { $0.kind != .version }.map(\.objectID)
        #expect(Set(versions) == Set(quakes[0..<3].map(\.objectID)) && versions.count == 3)
        #expect(others == [duplicate.objectID])
        #expect(context.insertedObjects == [duplicate])
        #expect(context.updatedObjects == [quakes[0], quakes[1], quakes[3]])
        #expect(context.deletedObjects == [quakes[2], quakes[4]])
    }

    @Test(arguments: StoreKind.allCases)
    func swappingUniqueValuesIsNoConflict(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (first, second) = (context.insertQuake("a"), context.insertQuake("b"))
        try context.save()
        (first.code, second.code) = ("b", "a")
        try context.save()
        context.reset()
        #expect(try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingKeepsTheEditAndLetsTheSaveThrough(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { other in
            try other.quake("us1")?.magnitude = 2
            try other.quake("us1")?.depth = 20
        }
        quake.magnitude = 3
        #expect(throws: SaveConflictError.self) { try context.save() }
        try context.refresh(quake, mergeChanges: true)
        #expect(quake.magnitude == 3 && quake.depth == 20)
        try context.save()
        try container.saveElsewhere { (other: ManagedObjectContext) throws in
            #expect(try other.quake("us1")?.magnitude == 3)
            #expect(try other.quake("us1")?.depth == 20)
        }
    }

    @Test func aConflictWithADeletedDestinationKeepsTheValuesOfItsMoment() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let region = context.insertRegion("Honshu")
        try context.save()
        try container.saveElsewhere { other in
            for region in try other.fetch(FetchRequest<Region>()) { other.delete(region) }
        }
        region.name = "Kyushu"
        _ = context.insertQuake("us1", in: region)
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        region.name = "Kanto"
        let conflict = try #require(error?.conflicts.first)
        #expect(conflict.objectID == region.objectID && conflict.stored == nil)
        #expect(conflict.base?["name"] == .text("Honshu"))
        #expect(conflict.mine?["name"] == .text("Kyushu"))
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingADeletedObjectLetsTheDeletionThrough(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        context.delete(quake)
        #expect(throws: SaveConflictError.self) { try context.save() }
        try context.refresh(quake, mergeChanges: true)
        #expect(quake.isDeleted)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func afterARollbackTheSameEditGoesThrough(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        quake.magnitude = 3
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.rollback()
        #expect(quake.magnitude == 2)
        quake.magnitude = 3
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func afterARollbackTheSameDeletionGoesThrough(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        context.delete(quake)
        #expect(throws: SaveConflictError.self) { try context.save() }
        context.rollback()
        #expect(!quake.isDeleted)
        context.delete(quake)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func movingAnObjectEnlistsOnlyTheSideWithTheKey(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1")
        try context.save()
        try container.saveElsewhere { other in
            try other.fetch(FetchRequest<Region>()).first?.name = "Far North"
        }
        quake.region = region
        try context.save()
        #expect(!context.hasChanges)
    }
}
