import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Observation
import Testing

/// The classes of the article for those who know SwiftData.
enum SwiftDataModel {
    // snippet: swiftdata.model
    @Managed
    final class Trip: ManagedObject {
        @Attribute(.unique) var name: String
        var destination: String = ""
        var begins: Date?
        @Relationship(inverse: \Stop.trip, deleteRule: .cascade) var stops: OrderedToMany<Stop>
    }

    @Managed
    final class Stop: ManagedObject {
        var place: String
        @Relationship var trip: Trip?
    }
    // end

    // snippet: swiftdata.actor
    actor TripImporter {
        private let context: ManagedObjectContext

        init(container: PersistentContainer) {
            context = container.makeContext(ContextOptions(author: "import"))
            context.attach(to: self)
        }

        func add(_ names: [String]) throws -> [ManagedObjectID] {
            let trips = names.map { name in
                let trip = Trip(context: context)
                trip.name = name
                return trip
            }
            try context.save()
            return trips.map(\.objectID)
        }
    }
    // end
}

/// What the article for those who know SwiftData says.
@MainActor struct SwiftDataTests {
    typealias Trip = SwiftDataModel.Trip
    typealias Stop = SwiftDataModel.Stop
    typealias TripImporter = SwiftDataModel.TripImporter

    private func container(
        _ store: PersistentStoreDescription = .memory(), _ options: ContextOptions = .init()
    ) throws -> PersistentContainer {
        try PersistentContainer.open(
            model: ManagedObjectModel(Trip.self, Stop.self), stores: [store],
            defaultOptions: options)
    }

    /// Two trips, the first with two stops.
    private func filled() throws -> PersistentContainer {
        let container = try container()
        let context = container.viewContext
        for (name, places) in [("Alps", ["Chur", "Pontresina"]), ("Islands", [])] {
            let trip = Trip(context: context)
            trip.name = name
            for place in places {
                let stop = Stop(context: context)
                stop.place = place
                trip.stops.append(stop)
            }
        }
        try context.save()
        return container
    }

    @Test func aContainerIsMadeAndSaved() async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).sqlite").path
        defer { try? SQLiteStoreType().destroy(.sqlite(path)) }

        // snippet: swiftdata.container
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Trip.self, Stop.self), stores: [.sqlite(path)],
            defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let context = container.viewContext

        let trip = Trip(context: context)
        trip.name = "Alps"
        try context.save()
        // end

        // An upsert, as in SwiftData.
        let again = Trip(context: context)
        again.name = "Alps"
        again.destination = "Chur"
        try context.save()
        #expect(again.objectID == trip.objectID && again.destination == "Chur")
        #expect(try context.count(for: FetchRequest<Trip>()) == 1)
        try container.close()
    }

    @Test func aDuplicateIsAConflictByDefault() throws {
        let context = try filled().viewContext
        Trip(context: context).name = "Alps"
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.count == 1)
    }

    @Test func nothingIsSavedByItself() async throws {
        let container = try filled()
        try await container.performBackgroundTask { context in
            for trip in try context.fetch(FetchRequest<Trip>()) { trip.destination = "Rome" }
        }
        let stored = try await container.fetch(FetchRequest<Trip>().select(\.destination))
        #expect(stored.allSatisfy { $0 == "" })
    }

    @Test func predicatesOfFoundationAreTaken() throws {
        let context = try filled().viewContext

        // snippet: swiftdata.predicate
        let place = "Chur"
        let visiting = #Predicate<Trip> { trip in
            trip.name.starts(with: "A") && trip.stops.contains { $0.place == place }
        }
        let found = try context.fetch(
            FetchRequest<Trip>().where(FetchPredicate(visiting)).sorted(by: \.begins))
        // end

        // snippet: swiftdata.where
        let same = try context.fetch(
            FetchRequest<Trip>().where { trip in
                trip.name.beginsWith("A") && trip.stops.any { $0.place == place }
            }.sorted(by: \.begins))
        // end

        #expect(found.map(\.name) == ["Alps"] && found == same)
        let both = FetchRequest<Trip>().where {
            $0.name.contains("ALP", [.caseInsensitive, .diacriticInsensitive])
        }
        #expect(try context.fetch(both) == found)
        let descriptor = try FetchSortDescriptor(SortDescriptor(\Trip.name, order: .reverse))
        let sorted = try context.fetch(FetchRequest<Trip>().sorted(by: descriptor))
        #expect(sorted.map(\.name) == ["Islands", "Alps"])
    }

    @Test func aViewObservesResults() async throws {
        let container = try filled()

        // snippet: swiftdata.query
        let trips = try FetchedResults(
            FetchRequest<Trip>().where { $0.begins == nil }.sorted(by: \.name),
            in: container.viewContext)
        // end

        let told = Told()
        withObservationTracking {
            _ = trips.objects?.count
        } onChange: {
            told.note()
        }
        _ = try await TripImporter(container: container).add(["Coast"])
        container.viewContext.processPendingChanges()
        #expect(trips.objects?.map(\.name) == ["Alps", "Coast", "Islands"])
        #expect(told.isNoted)
    }

    @Test func objectsAreObserved() throws {
        let context = try filled().viewContext
        // snippet: swiftdata.observable
        context.isObservable = true
        // end
        let trip = try context.fetch(FetchRequest<Trip>())[0]
        let told = Told()
        withObservationTracking {
            _ = trip.destination
        } onChange: {
            told.note()
        }
        trip.destination = "Chur"
        #expect(told.isNoted)
    }

    @Test func anActorSavesAndGivesIDs() async throws {
        let container = try filled()
        let ids = try await TripImporter(container: container).add(["Coast", "Fjords"])
        container.viewContext.processPendingChanges()
        let names = try ids.map {
            try container.viewContext.existingObject(with: $0, as: Trip.self).name
        }
        #expect(names == ["Coast", "Fjords"])
    }

    @Test func theHistoryHasTransactions() async throws {
        let container = try container(.memory().keepingHistory(forDays: 30))
        let token = try container.currentPersistentHistoryToken()
        _ = try await TripImporter(container: container).add(["Coast"])

        // snippet: swiftdata.history
        let history = try container.viewContext.execute(
            PersistentHistoryChangeRequest.fetchHistory(after: token))
        for transaction in history.transactions where transaction.author == "import" {
            for change in transaction.changes ?? [] {
                print(change.changeType, change.changedObjectID)
            }
        }
        // end

        #expect(history.transactions.map(\.author) == ["import"])
        #expect(history.transactions[0].changes?.map(\.changeType) == [.insert])
    }

    @Test func manyAreDeletedAtOnce() throws {
        let context = try filled().viewContext
        try context.execute(BatchDeleteRequest(FetchRequest<Trip>().where { $0.name == "Alps" }))
        #expect(try context.count(for: FetchRequest<Stop>()) == 0)
    }

    @Test func aDraftIsAStruct() throws {
        let context = try filled().viewContext
        var draft = Trip.Values(name: "Coast")
        draft.destination = "Split"
        let trip = try Trip(draft, context: context)
        #expect(trip.destination == "Split" && trip.stops.isEmpty)
    }
}

/// Whether something changed.
private final class Told: @unchecked Sendable {
    // Sound: changes are made on the main actor, which the tests run on.
    private(set) var isNoted = false
    func note() { isNoted = true }
}
