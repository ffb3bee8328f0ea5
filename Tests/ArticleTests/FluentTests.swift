import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// The classes of the article for those who know Fluent.
enum FluentModel {
    // snippet: fluent.model
    enum Kind: String, AttributeValue {
        case rocky, gaseous
    }

    @Managed(unique: [["star", "name"]])
    final class Planet: ManagedObject {
        var name: String
        var mass: Double?
        var kind: Kind = .rocky
        var created: Date
        @Attribute(.derived("now()")) var changed: Date?
        @Relationship(.required) var star: Star?
        @Relationship(inverse: \Tag.planets) var tags: ToMany<Tag>

        override func awakeFromInsert() { created = .now }
    }

    @Managed
    final class Star: ManagedObject {
        @Attribute(.unique, minimumLength: 1) var name: String
        @Relationship(inverse: \Planet.star, deleteRule: .cascade) var planets: ToMany<Planet>
    }

    @Managed
    final class Tag: ManagedObject {
        @Attribute(.unique) var name: String
        @Relationship var planets: ToMany<Planet>
    }
    // end

    // snippet: fluent.service
    struct PlanetService: Sendable {
        let container: PersistentContainer

        func page(after position: FetchPosition? = nil) async throws -> [Planet.Values] {
            var request = FetchRequest<Planet>().sorted(by: \.name).limit(20)
            if let position { request = try request.after(position) }
            return try await container.fetch(Planet.Values.self, request)
        }

        func add(_ name: String, to star: String) async throws -> Planet.Values? {
            try await container.performBackgroundTask { context in
                let stars = FetchRequest<Star>().where { $0.name == star }
                guard let found = try context.fetch(stars).first else { return nil }
                let planet = Planet(context: context)
                planet.name = name
                planet.star = found
                try context.save()
                return planet.values
            }
        }
    }
    // end
}

/// What the article for those who know Fluent says.
@MainActor struct FluentTests {
    typealias Planet = FluentModel.Planet
    typealias Star = FluentModel.Star
    typealias Tag = FluentModel.Tag
    typealias PlanetService = FluentModel.PlanetService

    /// A star with two planets, one of which has a tag.
    private func filled() throws -> PersistentContainer {
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Planet.self, Star.self, Tag.self), stores: [.memory()])
        let context = container.viewContext
        let sun = Star(context: context)
        sun.name = "Sun"
        for name in ["Mars", "Venus"] {
            let planet = Planet(context: context)
            planet.name = name
            planet.star = sun
        }
        let tag = Tag(context: context)
        tag.name = "red"
        tag.planets.insert(contentsOf: sun.planets.filter { $0.name == "Mars" })
        try context.save()
        return container
    }

    @Test func aServiceReadsAndWritesValues() async throws {
        let service = PlanetService(container: try filled())
        let earth = try await service.add("Earth", to: "Sun")
        #expect(earth?.name == "Earth" && earth?.changed != nil)
        #expect(try await service.add("Proxima b", to: "Proxima") == nil)
        let planets = try await service.page()
        #expect(planets.map(\.name) == ["Earth", "Mars", "Venus"])
        let position = FetchPosition(values: [.text("Earth")], objectID: planets[0].objectID)
        #expect(try await service.page(after: position).map(\.name) == ["Mars", "Venus"])
        let data = try JSONEncoder().encode(planets)
        #expect(try JSONDecoder().decode([Planet.Values].self, from: data) == planets)
    }

    @Test func relationshipsNeedNoEagerLoading() async throws {
        let container = try filled()

        // snippet: fluent.query
        let context = container.makeContext()
        let planets = try context.fetch(
            FetchRequest<Planet>().where { planet in
                planet.star.name == "Sun" && planet.tags.any { $0.name == "red" }
            }.sorted(by: \.name))
        for planet in planets { print(planet.name, planet.star?.planets.count ?? 0) }
        // end

        #expect(planets.map(\.name) == ["Mars"])
        #expect(planets[0].star?.planets.count == 2)
    }

    @Test func aPrefetchedWalkLoadsNothing() throws {
        let context = try filled().makeContext()

        // snippet: fluent.prefetching
        let planets = try context.fetch(FetchRequest<Planet>().prefetching(\.star, \.planets))
        try context.faulting(.forbidden) {
            for planet in planets { print(planet.name, planet.star?.planets.count ?? 0) }
        }
        // end

        #expect(planets.count == 2)
    }

    @Test func aContextIsATransaction() async throws {
        let container = try filled()

        // snippet: fluent.transaction
        let background = container.newBackgroundContext(ContextOptions(mergePolicy: .error))
        let count = try await background.withContext { context in
            let planets = try await context.fetchOffOwner(
                FetchRequest<Planet>().where { $0.mass == nil })
            for planet in planets { planet.mass = 1 }
            try await context.saveOffOwner()
            return planets.count
        }
        // end

        #expect(count == 2)
        let masses = try await container.fetch(FetchRequest<Planet>().select(\.mass))
        #expect(masses.allSatisfy { $0 == 1 })
    }

    @Test func aConflictIsSettledByAnotherTry() async throws {
        let container = try filled()
        let id = try container.viewContext.fetch(FetchRequest<Planet>().sorted(by: \.name))[0]
            .objectID
        let background = container.newBackgroundContext()
        await background.perform { context in
            context.automaticallyMergesChangesFromParent = false
            context.object(with: id, as: Planet.self).mass = 2
        }
        try await container.performBackgroundTask { context in
            context.object(with: id, as: Planet.self).mass = 3
            try context.save()
        }
        await #expect(throws: SaveConflictError.self) {
            try await background.perform { try $0.save() }
        }
        try await background.perform { context in
            context.rollback()
            try context.refresh(context.object(with: id), mergeChanges: false)
            context.object(with: id, as: Planet.self).mass = 2
            try context.save()
        }
        let masses = try await container.fetch(
            FetchRequest<Planet>().where { $0.mass != nil }.select(\.mass))
        #expect(masses == [2])
    }

    @Test func aPlanetIsUniqueInItsSystem() async throws {
        let service = PlanetService(container: try filled())
        await #expect(throws: SaveConflictError.self) { try await service.add("Mars", to: "Sun") }
    }

    @Test func aHookValidatesAndStampsObjects() throws {
        let context = try filled().viewContext
        let nameless = Star(context: context)
        nameless.name = ""
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.stringTooShort])
        context.delete(nameless)
        let mars = try context.fetch(FetchRequest<Planet>().where { $0.name == "Mars" })[0]
        #expect(mars.created > Date(timeIntervalSinceReferenceDate: 0))
        let star = try #require(mars.star)
        context.delete(star)
        try context.save()
        #expect(try context.count(for: FetchRequest<Planet>()) == 0)
    }
}
