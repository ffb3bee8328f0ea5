import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenPostgres
import DuramenSQLite
import Foundation
import Testing

/// The article on stores on PostgreSQL.
@MainActor struct PostgreSQLTests {
    nonisolated static let server = ProcessInfo.processInfo.environment["DURAMEN_TEST_POSTGRES"]

    // Not called: only readers have this service.
    private func opened(_ model: ManagedObjectModel) async throws -> PersistentContainer {
        // snippet: postgres.open
        let container = try await PersistentContainer(
            model: model, stores: [.postgres("service=library", schema: "library")])
        // end
        return container
    }

    @Test(.enabled(if: server != nil))
    func anApplicationKeepsItsObjectsOnAServer() async throws {
        let location = try #require(Self.server)
        let schema = "article_\(UUID().uuidString.prefix(8).lowercased())"
        let store = PersistentStoreDescription.postgres(location, schema: schema)
            .allowingUnsafeServer()
        defer { try? store.destroyStore() }
        let container = try await PersistentContainer(
            model: Library.model.get(), stores: [store])
        let author = Author(context: container.viewContext)
        author.name = "Ursula K. Le Guin"
        try container.viewContext.save()
        #expect(try container.viewContext.count(for: FetchRequest<Author>()) == 1)
        #expect(try container.persistentStoreCoordinator.metadata().storeType == "postgres")
        try container.close()
    }

    @Test func aStringChoosesServerAndSchema() throws {
        // snippet: postgres.string
        let types = StoreTypes([.sqlite, .postgres])
        let store = try types.description(for: "postgres://db.example.com/library?schema=library")
        // end
        #expect(store.location == "library")
        #expect(store.type.name == "postgres")
        #expect(!"\(store)".contains("db.example.com"))
    }
}
