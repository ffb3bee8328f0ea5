import Duramen
import Observation
import Testing

/// Single properties under `withObservationTracking`.
@MainActor
@Suite(.serialized)
struct ObservationTests {
    /// Counts changes of what a closure reads, until the first one.
    private final class Watch: @unchecked Sendable {
        // Sound: changes are made on the main actor, which the tests run on.
        private(set) var count = 0
        private let read: () -> Void

        init(_ read: @escaping () -> Void) {
            self.read = read
            observe()
        }

        func observe() {
            // What is read keeps this closure, and this watch keeps what is read.
            withObservationTracking(read) { [weak self] in self?.count += 1 }
        }

        /// Whether something changed since the last time, or the beginning.
        func hasFired() -> Bool {
            defer {
                if count > 0 { observe() }
                count = 0
            }
            return count > 0
        }
    }

    private func observableContext(
        _ container: PersistentContainer
    ) -> ManagedObjectContext {
        let context = container.viewContext
        context.isObservable = true
        return context
    }

    @Test("A property is observed by itself")
    func singleProperties() throws {
        let context = observableContext(try makeContainer())
        let (quake, other) = (context.insertQuake("us1"), context.insertQuake("us2"))
        let magnitude = Watch { _ = quake.magnitude }
        let depth = Watch { _ = quake.depth }
        quake.code = "us3"
        other.magnitude = 4
        #expect(!magnitude.hasFired() && !depth.hasFired())
        quake.magnitude = 4
        #expect(magnitude.hasFired() && !depth.hasFired())
        quake.depth = nil
        #expect(!magnitude.hasFired() && depth.hasFired())
        quake.magnitude = 5
        #expect(magnitude.hasFired())
    }

    @Test("Relationships are observed from both sides, and access by key too")
    func relationships() throws {
        let context = observableContext(try makeContainer())
        let (north, south) = (context.insertRegion("North"), context.insertRegion("South"))
        let quake = context.insertQuake("us1", in: north)
        let tag = context.insertTag("felt")
        let region = Watch { _ = quake.region }
        let members = Watch { _ = north.quakes.count }
        let tags = Watch { _ = quake.tags.contains(tag) }
        let byKey = Watch { _ = try? quake.value(forKey: "region") }
        quake.region = south
        #expect(region.hasFired() && members.hasFired() && byKey.hasFired() && !tags.hasFired())
        north.quakes.insert(quake)
        #expect(region.hasFired() && members.hasFired())
        tag.quakes.insert(quake)
        #expect(tags.hasFired() && !members.hasFired())
        try quake.setValue(nil, forKey: "region")
        #expect(region.hasFired() && members.hasFired())
    }

    @Test(
        "What others save is a change of the properties that differ", arguments: StoreKind.allCases)
    func merging(kind: StoreKind) throws {
        let container = try kind.container()
        let context = observableContext(container)
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1", in: region)
        try context.save()
        let magnitude = Watch { _ = quake.magnitude }
        let code = Watch { _ = quake.code }
        let members = Watch { _ = region.quakes.count }
        try container.saveElsewhere { other in
            try other.quake("us1")?.magnitude = 8
            other.insertQuake("us2").region = try other.fetch(
                FetchRequest<Region>(), isolation: nil
            ).first
        }
        #expect(!magnitude.hasFired())
        context.processPendingChanges()
        #expect(magnitude.hasFired() && !code.hasFired() && members.hasFired())
        // With edits of its own, too.
        quake.depth = 3
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 9 }
        context.processPendingChanges()
        #expect(magnitude.hasFired() && !code.hasFired() && quake.magnitude == 9)
    }

    @Test("Refreshing and rolling back are changes")
    func replacing() throws {
        let context = observableContext(try makeContainer())
        let quake = context.insertQuake("us1", magnitude: 3)
        try context.save()
        let magnitude = Watch { _ = quake.magnitude }
        let code = Watch { _ = quake.code }
        quake.magnitude = 4
        #expect(magnitude.hasFired())
        context.rollback()
        #expect(magnitude.hasFired() && !code.hasFired())
        try context.refresh(quake, mergeChanges: false)
        #expect(magnitude.hasFired() && code.hasFired())
        try context.save()
        #expect(!magnitude.hasFired())
    }

    @Test("A save and an edit of something else are no changes")
    func quietSaves() throws {
        let context = observableContext(try makeContainer())
        let quake = context.insertQuake("us1")
        let magnitude = Watch { _ = quake.magnitude }
        try context.save()
        _ = context.insertQuake("us2")
        try context.save()
        #expect(!magnitude.hasFired())
        quake.magnitude = 9
        #expect(magnitude.hasFired())
    }

    @Test("Fetched objects are observed, and faults")
    func fetched() throws {
        let container = try makeContainer()
        try container.saveElsewhere { _ = $0.insertQuake("us1", in: $0.insertRegion("North")) }
        let context = observableContext(container)
        let quake = try #require(try context.quake("us1"))
        let name = Watch { _ = quake.region?.name }
        quake.region?.name = "South"
        #expect(name.hasFired())
    }

    @Test("A context that is not observable tells nothing, and takes it up when it becomes so")
    func switching() throws {
        let context = try makeContainer().viewContext
        let quake = context.insertQuake("us1")
        let before = Watch { _ = quake.magnitude }
        quake.magnitude = 2
        #expect(!before.hasFired())
        context.isObservable = true
        let after = Watch { _ = quake.magnitude }
        quake.magnitude = 3
        #expect(after.hasFired())
        context.isObservable = false
        let ended = Watch { _ = quake.depth }
        quake.depth = 1
        #expect(!ended.hasFired() && !context.isObservable)
    }

    @Test(
        "Observable objects are edited, told of and saved like others",
        arguments: StoreKind.allCases)
    func savedAllTheSame(kind: StoreKind) throws {
        let container = try kind.container()
        let context = observableContext(container)
        var updated = 0
        context.observe { event, _ in
            if case .objectsDidChange(let changes) = event { updated += changes.updated.count }
        }
        let region = context.insertRegion("North")
        let quakes = (0..<5).map { context.insertQuake("us\($0)", in: region) }
        try context.save()
        for quake in quakes { quake.magnitude = 6 }
        quakes[0].region = nil
        try context.save()
        #expect(updated == 6)
        let other = container.makeContext()
        let stored = try other.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(stored.map(\.magnitude) == [6, 6, 6, 6, 6])
        #expect(stored.map { $0.region?.name } == [nil] + Array(repeating: "North", count: 4))
        withExtendedLifetime(other) {}
    }
}
