import Duramen
import Testing

/// What an object says of its own changes.
@MainActor
@Suite(.serialized)
struct ChangedValuesTests {
    @Test("Changed values are those that differ from the saved ones", arguments: StoreKind.allCases)
    func changedValues(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let quake = context.insertQuake("us1", magnitude: 5, in: north)
        let tag = context.insertTag("felt")
        #expect(Set(quake.changedValues().keys) == ["code", "magnitude", "region"])
        try context.save()
        #expect(quake.changedValues().isEmpty && !quake.hasPersistentChangedValues)
        quake.magnitude = 6
        quake.depth = nil
        quake.region = south
        #expect(Set(quake.changedValues().keys) == ["magnitude", "region"])
        #expect(quake.changedValues()["magnitude"] as? Double == 6)
        #expect(quake.changedValues()["region"] as? Region === south)
        quake.magnitude = 5
        quake.region = north
        #expect(quake.hasChanges && !quake.hasPersistentChangedValues)
        quake.tags.insert(tag)
        #expect(quake.hasPersistentChangedValues && tag.hasPersistentChangedValues)
        #expect(Set(quake.changedValues().keys) == ["tags"])
        try context.save()
        context.delete(quake)
        #expect(quake.hasPersistentChangedValues)
    }

    @Test("A value that was taken away is nil among the changed ones")
    func nullChanges() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1")
        quake.depth = 10
        try context.save()
        quake.depth = nil
        let change = try #require(quake.changedValues()["depth"])
        #expect(change == nil)
        #expect(try quake.committedValues(forKeys: ["depth"])["depth"] as? Double == 10)
    }

    @Test(
        "Committed values are the last saved ones, however often the object is edited",
        arguments: StoreKind.allCases)
    func committedValues(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1", magnitude: 5, in: region)
        #expect(try quake.committedValues().isEmpty)
        try context.save()
        for magnitude in [6, 7, 8] {
            quake.magnitude = Double(magnitude)
            context.processPendingChanges()
        }
        quake.region = nil
        let values = try quake.committedValues()
        #expect(values["magnitude"] as? Double == 5 && values["region"] as? Region === region)
        #expect(try quake.committedValues(forKeys: ["code"]).keys.sorted() == ["code"])
        #expect(throws: ContextError.self) { try quake.committedValues(forKeys: ["nothing"]) }
        try context.save()
        #expect(try quake.committedValues()["magnitude"] as? Double == 8)
    }

    @Test("Committed and changed values read no destination")
    func noFaultsAreFired() throws {
        let container = try makeContainer()
        try container.saveElsewhere { _ = $0.insertQuake("us1", in: $0.insertRegion("North")) }
        let quake = try #require(try container.viewContext.quake("us1"))
        quake.magnitude = 9
        let before = container.persistentStoreCoordinator.faultCount
        let region = try #require(try quake.committedValues()["region"] as? Region)
        #expect(quake.changedValues().count == 1 && region.isFault)
        #expect(region.faultingState == .fault && quake.faultingState == .realized)
        #expect(try quake.hasFault(forRelationshipNamed: "region"))
        #expect(try quake.hasFault(forRelationshipNamed: "tags"))
        #expect(try quake.objectIDs(forRelationshipNamed: "region") == [region.objectID])
        #expect(container.persistentStoreCoordinator.faultCount == before)
        #expect(region.name == "North")
        #expect(try quake.objectIDs(forRelationshipNamed: "tags").isEmpty)
        #expect(try !quake.hasFault(forRelationshipNamed: "region"))
        #expect(try !quake.hasFault(forRelationshipNamed: "tags"))
        #expect(throws: ContextError.self) { try quake.objectIDs(forRelationshipNamed: "code") }
    }

    @Test("Values that changed in this unit of work are told from earlier ones")
    func currentEvent() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        #expect(quake.changedValuesForCurrentEvent().isEmpty)
        quake.magnitude = 2
        quake.magnitude = 3
        #expect(quake.changedValuesForCurrentEvent()["magnitude"] as? Double == 1)
        context.processPendingChanges()
        #expect(quake.changedValuesForCurrentEvent().isEmpty)
        #expect(quake.changedValues().keys.sorted() == ["magnitude"])
        quake.depth = 10
        quake.magnitude = 4
        let values = quake.changedValuesForCurrentEvent()
        #expect(values["magnitude"] as? Double == 3 && Set(values.keys) == ["depth", "magnitude"])
        try context.save()
        #expect(quake.changedValuesForCurrentEvent().isEmpty)
    }

    @Test("A permanent ID that came early leaves a new object new")
    func earlyPermanentID() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1")
        try context.obtainPermanentIDs(for: [quake])
        #expect(quake.isInserted && !quake.isUpdated && !quake.isDeleted)
        try context.save()
        quake.magnitude = 2
        #expect(quake.isUpdated && !quake.isInserted)
        context.delete(quake)
        #expect(quake.isDeleted && !quake.isUpdated)
        try context.save()
        #expect(quake.faultingState == .gone)
    }

    @Test(
        "Without propagation at the end of an event, delete rules wait for the save",
        arguments: StoreKind.allCases)
    func propagationAtSave(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1", in: region)
        try context.save()
        context.propagatesDeletesAtEndOfEvent = false
        context.delete(region)
        context.processPendingChanges()
        #expect(region.isDeleted && !quake.isDeleted)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
        #expect(quake.faultingState == .gone)
    }
}
