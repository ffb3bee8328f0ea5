import Duramen
import StoreTestSupport
import Testing

/// When an awaited call that saved in the background returns, the caller's own contexts show it.
@Suite struct AwaitedSaveTests {
    private struct Refusal: Error {}

    /// How many rounds each way is tried, without anybody processing changes.
    private static let rounds = StoreTestSupport.rounds(2_500)

    private static func container(_ kind: StoreKind) throws -> PersistentContainer {
        var description = kind.description
        // Saves are many here, and none has to survive the power.
        if kind != .memory { description = description.durability(.unsafeNoSync) }
        return try PersistentContainer.open(model: Seismology.model, stores: [description])
    }

    /// Saves one more magnitude in the background, each time by another way.
    private static func saveInBackground(
        _ round: Int, _ container: PersistentContainer, _ background: BackgroundContext,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        switch round % 5 {
        case 0:
            try await container.performBackgroundTask { context in
                try context.quake("us1")?.magnitude = Double(round)
                try context.save()
            }
        case 1:
            try await background.perform { context in
                try context.quake("us1")?.magnitude = Double(round)
                try context.save()
            }
        case 2:
            try await background.withContext { context in
                try context.quake("us1")?.magnitude = Double(round)
                try await context.saveOffOwner()
            }
        case 3:
            do {
                try await background.perform { context in
                    try context.quake("us1")?.magnitude = Double(round)
                    try context.save()
                    throw Refusal()
                }
            } catch is Refusal {}
        default:
            try await container.performBackgroundTask { context in
                _ = try context.execute(
                    BatchUpdateRequest<Quake>().where { $0.code == "us1" }
                        .set(\.magnitude, to: Double(round)))
            }
        }
    }

    @Test("On the main actor", arguments: StoreKind.allCases) @MainActor
    func mainActor(kind: StoreKind) async throws {
        let container = try Self.container(kind)
        let context = container.viewContext
        let quake = context.insertQuake("us1")
        try context.save()
        let background = container.newBackgroundContext()
        for round in 0..<4 * Self.rounds {
            try await Self.saveInBackground(round, container, background)
            #expect(quake.magnitude == Double(round))
            if quake.magnitude != Double(round) { break }
        }
        #expect(try context.fetch(FetchRequest<Quake>()).map(\.magnitude) == [quake.magnitude])
    }

    private actor Keeper {
        let context: ManagedObjectContext
        let second: ManagedObjectContext

        init(_ container: PersistentContainer) {
            (context, second) = (container.makeContext(), container.makeContext())
            context.attach(to: self)
        }

        func run(_ container: PersistentContainer) async throws {
            second.attach(to: self)
            _ = context.insertQuake("us1")
            try context.save()
            let child = ManagedObjectContext(parent: second)
            let seen = try [context, second, child].map { try #require(try $0.quake("us1")) }
            let background = container.newBackgroundContext()
            for round in 0..<AwaitedSaveTests.rounds {
                try await AwaitedSaveTests.saveInBackground(round, container, background)
                let values = seen.map(\.magnitude)
                #expect(values == Array(repeating: Double(round), count: 3))
                if Set(values) != [Double(round)] { break }
            }
        }

        /// Saves one of two contexts off the owner.
        func saveOffOwner() async throws {
            second.attach(to: self)
            _ = context.insertQuake("us1")
            try context.save()
            let own = try #require(try context.quake("us1"))
            let other = try #require(try second.quake("us1"))
            for round in 0..<AwaitedSaveTests.rounds {
                own.magnitude = Double(round)
                try await context.saveOffOwner()
                #expect(other.magnitude == Double(round))
                if other.magnitude != Double(round) { break }
            }
        }
    }

    @Test("In an actor with contexts of its own, children included", arguments: StoreKind.allCases)
    func ownActor(kind: StoreKind) async throws {
        let container = try Self.container(kind)
        try await Keeper(container).run(container)
    }

    @Test("After a save of a context of its own off the owner", arguments: StoreKind.allCases)
    func offOwner(kind: StoreKind) async throws {
        let container = try Self.container(kind)
        try await Keeper(container).saveOffOwner()
    }

    @Test("In a context's own asynchronous closure", arguments: StoreKind.allCases)
    func insideAContext(kind: StoreKind) async throws {
        let container = try Self.container(kind)
        try container.saveElsewhere { _ = $0.insertQuake("us1") }
        let (outer, inner) = (container.newBackgroundContext(), container.newBackgroundContext())
        try await outer.withContext { context in
            let quake = try #require(try context.quake("us1"))
            for round in 0..<100 {
                try await Self.saveInBackground(round, container, inner)
                #expect(quake.magnitude == Double(round))
            }
        }
    }

    @Test("Unsaved edits of the caller stay, and its other properties follow") @MainActor
    func edits() async throws {
        let container = try makeContainer()
        let quake = container.viewContext.insertQuake("us1")
        try container.viewContext.save()
        quake.depth = 3
        try await container.performBackgroundTask { context in
            try context.quake("us1")?.magnitude = 8
            try context.save()
        }
        #expect(quake.magnitude == 8 && quake.depth == 3)
        try container.viewContext.save()
    }

    @Test("Contexts that do not merge by themselves are left alone") @MainActor
    func withoutMerging() async throws {
        let container = try makeContainer()
        let quake = container.viewContext.insertQuake("us1")
        try container.viewContext.save()
        container.viewContext.automaticallyMergesChangesFromParent = false
        try await container.performBackgroundTask { context in
            try context.quake("us1")?.magnitude = 8
            try context.save()
        }
        #expect(quake.magnitude == 1)
    }

    @Test("While others save too, on the main actor", arguments: StoreKind.allCases) @MainActor
    func besideOthers(kind: StoreKind) async throws {
        let container = try Self.container(kind)
        let context = container.viewContext
        let (quake, other) = (context.insertQuake("us1"), context.insertQuake("us2"))
        try context.save()
        let writer = Task.detached {
            for round in 0..<Self.rounds {
                try await container.performBackgroundTask { context in
                    try context.quake("us2")?.magnitude = Double(round)
                    try context.save()
                }
            }
        }
        for round in 0..<Self.rounds {
            try await container.performBackgroundTask { context in
                try context.quake("us1")?.magnitude = Double(round)
                try context.save()
            }
            #expect(quake.magnitude == Double(round))
            if quake.magnitude != Double(round) { break }
        }
        try await writer.value
        context.processPendingChanges()
        #expect(other.magnitude == Double(Self.rounds - 1))
    }
}
