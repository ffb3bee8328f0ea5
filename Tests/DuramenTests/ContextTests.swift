import Duramen
import Testing

/// What a context knows of its objects and of their changes.
@MainActor
@Suite(.serialized)
struct ContextTests {
    @Test func theApplicationsMetadataIsSetAndTakenAway() throws {
        let coordinator = try makeContainer().persistentStoreCoordinator
        try coordinator.setMetadata(["source": .text("usgs"), "page": .integer(7)])
        try coordinator.setMetadata(["page": .null])
        #expect(try coordinator.metadata().userInfo == ["source": .text("usgs")])
    }

    @Test func aClassGivesItsOwnRequest() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1")
        _ = context.insertRegion("Honshu")
        #expect(try context.fetch(Quake.fetchRequest()) == [quake])
    }

    @Test func theSetsFollowEveryChange() throws {
        let context = try makeContainer().viewContext
        #expect(!context.hasChanges)
        let quake = context.insertQuake("us1")
        #expect(context.hasChanges && context.insertedObjects == [quake])
        quake.magnitude = 2
        #expect(context.updatedObjects.isEmpty)
        try context.save()
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
        quake.magnitude = 3
        #expect(context.hasChanges && context.updatedObjects == [quake] && quake.isUpdated)
        context.delete(quake)
        #expect(context.updatedObjects.isEmpty && context.deletedObjects == [quake])
        #expect(quake.isDeleted && !quake.isUpdated)
        try context.save()
        #expect(!context.hasChanges && context.deletedObjects.isEmpty && !quake.isDeleted)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func readingIDsAndStateFiresNoFault() throws {
        let container = try makeContainer()
        try container.saveElsewhere { _ = $0.insertQuake("us1", in: $0.insertRegion("North")) }
        let context = container.viewContext
        let region = try #require(try context.quake("us1")?.region)
        let before = container.persistentStoreCoordinator.faultCount
        #expect(region.isFault && !region.objectID.isTemporaryID && !region.isUpdated)
        #expect(region.isFault && container.persistentStoreCoordinator.faultCount == before)
        #expect(region.name == "North" && !region.isFault)
        #expect(container.persistentStoreCoordinator.faultCount == before + 1)
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackRestoresValuesRelationshipsAndDeletions(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let (felt, large) = (context.insertTag("felt"), context.insertTag("large"))
        let quake = context.insertQuake("us1", magnitude: 1, in: north)
        let other = context.insertQuake("us2", in: north)
        quake.tags.insert(felt)
        try context.save()

        quake.magnitude = 5
        quake.region = south
        quake.tags.remove(felt)
        quake.tags.insert(large)
        context.delete(other)
        let new = context.insertQuake("us3", in: north)
        context.processPendingChanges()
        context.rollback()

        #expect(!context.hasChanges)
        #expect(quake.magnitude == 1 && quake.region === north)
        #expect(Set(quake.tags) == [felt] && Set(felt.quakes) == [quake] && large.quakes.isEmpty)
        #expect(Set(north.quakes) == [quake, other] && south.quakes.isEmpty)
        #expect(!other.isDeleted && other.region === north)
        #expect(!new.isInserted && context.insertedObjects.isEmpty)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test func resetForgetsObjectsAndChanges() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        quake.magnitude = 2
        _ = context.insertQuake("us2")
        context.reset()
        #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        let again = try #require(try context.quake("us1"))
        #expect(again !== quake && again.magnitude == 1)
        #expect(try context.count(for: FetchRequest<Quake>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingWithoutMergingMakesAFaultAndDropsTheEdits(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        try context.save()
        _ = try context.quake("us1")
        quake.magnitude = 2
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 7 }
        try context.refresh(quake, mergeChanges: false)
        #expect(quake.isFault && !context.hasChanges)
        // Read in the same unit of work as the fetch before, but from the newest state.
        #expect(quake.magnitude == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingWithoutMergingTakesEditsBackOnTheOtherSide(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let (felt, large) = (context.insertTag("felt"), context.insertTag("large"))
        let quake = context.insertQuake("us1", in: north)
        quake.tags.insert(felt)
        try context.save()
        quake.region = south
        quake.tags.insert(large)
        quake.tags.remove(felt)
        try context.refresh(quake, mergeChanges: false)
        #expect(Set(north.quakes) == [quake] && south.quakes.isEmpty)
        #expect(Set(felt.quakes) == [quake] && large.quakes.isEmpty)
        #expect(Set(quake.tags) == [felt])
        try context.save()
        context.reset()
        #expect(try context.quake("us1")?.tags.map(\.name) == ["felt"])
        #expect(try context.quake("us1")?.region?.name == "North")
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingOneSideKeepsWhatOthersPointToIt(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1")
        try context.save()
        quake.region = region
        try context.refresh(region, mergeChanges: false)
        #expect(Set(region.quakes) == [quake])
        try context.refresh(region, mergeChanges: true)
        #expect(Set(region.quakes) == [quake])
        try context.save()
        #expect(Set(region.quakes) == [quake])
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingWithMergingTakesOverWhatIsNotEditedHere(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = context.insertQuake("us1", magnitude: 1)
        let region = context.insertRegion("North")
        let pending = context.insertQuake("us2")
        try context.save()
        #expect(region.quakes.isEmpty)
        try container.saveElsewhere { other in
            try other.quake("us1")?.magnitude = 7
            try other.quake("us1")?.depth = 70
            _ = other.insertQuake("us3", in: try other.fetch(FetchRequest<Region>()).first)
        }
        quake.magnitude = 2
        pending.region = region
        try context.refresh(quake, mergeChanges: true)
        #expect(quake.magnitude == 2 && quake.depth == 70 && quake.isUpdated)
        try context.refresh(region, mergeChanges: true)
        #expect(Set(region.quakes.map(\.code)) == ["us2", "us3"])
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingAllMakesCleanObjectsFaultsAndKeepsEdits(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let (clean, dirty) = (context.insertQuake("us1"), context.insertQuake("us2"))
        let doomed = context.insertQuake("us3")
        try context.save()
        let new = context.insertQuake("us4")
        dirty.magnitude = 2
        context.delete(doomed)
        try container.saveElsewhere { other in
            try other.quake("us1")?.magnitude = 7
            try other.quake("us2")?.depth = 70
        }
        try context.refreshAllObjects()
        #expect(clean.isFault && clean.magnitude == 7)
        #expect(!dirty.isFault && dirty.magnitude == 2 && dirty.depth == 70)
        #expect(new.isInserted && new.code == "us4" && doomed.isDeleted)
        try context.save()
        #expect(try context.count(for: FetchRequest<Quake>()) == 3)
    }

    @Test func savingWithoutChangesDoesNothing() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let other = container.makeContext()
        let held = context.insertQuake("us1")
        try context.save()
        let seen = try #require(try other.quake("us1"))
        try context.save()
        other.processPendingChanges()
        #expect(seen.magnitude == 1 && !held.isInserted && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aFailedSaveLeavesEverything(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let north = context.insertRegion("North")
        let (edited, doomed) = (context.insertQuake("us1", in: north), context.insertQuake("us2"))
        try context.save()
        edited.magnitude = 5
        context.delete(doomed)
        let invalid = Region(context: context)
        let new = context.insertQuake("us3", in: invalid)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.property) == ["name"] && error.coreDataCode == 1570)
        #expect(context.insertedObjects == [invalid, new])
        #expect(context.updatedObjects == [edited] && context.deletedObjects == [doomed])
        #expect(edited.magnitude == 5 && Array(invalid.quakes) == [new])
        invalid.name = "valid"
        try context.save()
        context.reset()
        #expect(try context.quake("us3")?.region?.name == "valid")
        #expect(try context.count(for: FetchRequest<Quake>()) == 2)
    }

    @Test func aForgottenInvalidObjectDoesNotFailTheSave() throws {
        let context = try makeContainer().viewContext
        context.delete(Region(context: context))
        _ = context.insertQuake("us1")
        try context.save()
        #expect(try context.count(for: FetchRequest<Region>()) == 0)
        #expect(try context.count(for: FetchRequest<Quake>()) == 1)
    }
}
