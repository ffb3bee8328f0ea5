import Duramen
import Testing

@MainActor
struct DeletionMergingTests {
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
