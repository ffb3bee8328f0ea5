import Duramen
import Testing

@MainActor
struct DeletionMergingTests {
    @Test func aNewReferenceToWhatWasDeletedElsewhereConflicts() throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        let region = context.insertRegion("Honshu")
        let felt = context.insertTag("felt")
        try context.save()
        try container.saveElsewhere { other in
            for region in try other.fetch(FetchRequest<Region>()) { other.delete(region) }
            for tag in try other.fetch(FetchRequest<Tag>()) { other.delete(tag) }
        }
        context.processPendingChanges()
        #expect(region.isDeleted && felt.isDeleted && !context.hasChanges)
        quake.region = region
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [region.objectID])
        context.rollback()
        quake.tags.insert(felt)
        let other = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(other?.conflicts.map(\.objectID) == [felt.objectID])
        context.rollback()
        #expect(quake.region == nil && quake.tags.isEmpty)
        quake.magnitude = 3
        try context.save()
        // From here on both are gone, and an accessor cannot throw.
        for assign in [{ quake.region = region }, { quake.tags.insert(felt) }] {
            assign()
            #expect(quake.faultError is ContextError)
            #expect(throws: ContextError.self) { try context.save() }
        }
        try context.save()
    }

    @Test(
        "Deleting a fault whose row is gone is no failure, whatever else is saved",
        arguments: StoreKind.allCases)
    func deletingWhatIsGone(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext(.init(automaticallyMergesChangesFromParent: false))
        let quake = context.insertQuake("us1")
        let kept = context.insertQuake("us2")
        try context.save()
        try context.refresh(quake, mergeChanges: false)
        let id = quake.objectID
        try container.saveElsewhere { other in other.delete(try other.existingObject(with: id)) }
        context.delete(quake)
        kept.magnitude = 4
        try context.save()
        #expect(!context.hasChanges && quake.faultError == nil)
        #expect(try context.fetch(FetchRequest<Quake>()).map(\.magnitude) == [4])
    }

    @Test(
        "A fault that others deleted and inserted again before the last save here has what was saved",
        arguments: StoreKind.allCases)
    func ownSavesAreNewerThanReturns(kind: StoreKind) throws {
        let container = try kind.container()
        let contexts = ["mine", "deleting", "returning"].map {
            container.makeContext(.init(name: $0, mergePolicy: .mergeByPropertyObjectTrump))
        }
        let quake = contexts[0].insertQuake("us1", magnitude: 1)
        try contexts[0].save()
        let others = try contexts.dropFirst().map {
            try $0.existingObject(with: quake.objectID, as: Quake.self)
        }
        contexts[1].delete(others[0])
        try contexts[1].save()
        others[1].magnitude = 2
        try contexts[2].save()
        quake.magnitude = 3
        try contexts[0].save()
        try contexts[0].refresh(quake, mergeChanges: false)
        contexts[0].processPendingChanges()
        #expect(!quake.isDeleted && quake.magnitude == 3)
    }

    @Test func anObjectDeletedElsewhereLeavesTheManyToManysItWasIn() async throws {
        let container = try makeContainer()
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        let felt = context.insertTag("felt")
        let large = context.insertTag("large")
        quake.tags.insert(contentsOf: [felt, large])
        try context.save()
        #expect(quake.tags.count == 2)

        try await container.performBackgroundTask { other in
            let tags = try other.fetch(FetchRequest<Tag>().where { $0.name == "felt" })
            tags.forEach(other.delete)
            try other.save()
        }
        context.processPendingChanges()
        #expect(felt.isDeleted)
        #expect(Array(quake.tags) == [large])
    }
}
