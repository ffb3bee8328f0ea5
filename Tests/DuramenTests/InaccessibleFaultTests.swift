import Duramen
import Testing

/// Objects whose rows are gone, and relationships as IDs.
@MainActor
@Suite(.serialized)
struct InaccessibleFaultTests {
    /// A context with a fault whose row somebody deleted.
    private func contextWithFault(_ kind: StoreKind) throws -> (ManagedObjectContext, Quake) {
        let container = try kind.container()
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        let id = context.insertQuake("a", magnitude: 3).objectID
        try context.save()
        let saved = context.object(with: id)
        try container.saveElsewhere { other in other.delete(try #require(try other.quake("a"))) }
        try context.refresh(saved, mergeChanges: false)
        return (context, context.object(with: id, as: Quake.self))
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultWithoutRowIsAnErrorUnlessItCountsAsDeleted(kind: StoreKind) throws {
        let (context, quake) = try contextWithFault(kind)
        #expect(quake.magnitude == 0 && quake.faultError != nil && !quake.isDeleted)
        #expect(throws: ContextError.self) { try context.save() }

        let (other, gone) = try contextWithFault(kind)
        other.shouldDeleteInaccessibleFaults = true
        #expect(gone.magnitude == 0 && gone.code == "" && gone.region == nil)
        #expect(gone.isDeleted && gone.faultError == nil && other.deletedObjects == [gone])
        #expect(throws: ContextError.self) { try gone.load() }
        _ = other.insertTag("something to save")
        try other.save()
        #expect(other.deletedObjects.isEmpty)
    }

    @Test func aClosureDecidesForEachObject() throws {
        let (context, quake) = try contextWithFault(.memory)
        var asked: [ManagedObjectID] = []
        context.shouldDeleteInaccessibleFaults = true
        context.onInaccessibleFault = { object in
            asked.append(object.objectID)
            return false
        }
        #expect(throws: ContextError.self) { try quake.load() }
        #expect(asked.isEmpty)
        #expect(quake.code == "" && quake.faultError != nil && asked == [quake.objectID])
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsAreReadAsIDs(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let region = context.insertRegion("Honshu")
        let quakes = ["a", "b"].map { context.insertQuake($0, in: region) }
        let alone = context.insertQuake("c")
        try context.save()
        let ids = quakes.map(\.objectID).sorted()
        context.reset()
        let again = context.object(with: ids[0], as: Quake.self)
        let honshu = try again.objectIDs(forRelationshipNamed: "region")
        #expect(honshu.count == 1 && context.registeredObject(for: honshu[0]) == nil)
        #expect(
            try context.object(with: honshu[0]).objectIDs(forRelationshipNamed: "quakes") == ids)
        #expect(context.registeredObject(for: ids[1]) == nil)
        let last = try context.existingObject(with: alone.objectID)
        #expect(try last.objectIDs(forRelationshipNamed: "region") == [])
        #expect(throws: ContextError.self) { try again.objectIDs(forRelationshipNamed: "code") }
    }
}
