import Duramen
import Foundation
import Testing

/// A context has one owner in its life.
@Suite struct OwnerTests {
    private actor Keeper {
        let context: ManagedObjectContext

        init(_ container: PersistentContainer, attaching: Bool = true) {
            context = container.makeContext(ContextOptions(name: "kept"))
            if attaching { context.attach(to: self) }
        }

        func count() throws -> Int { try context.count(for: FetchRequest<Quake>()) }

        func attachAgain() { context.attach(to: self) }

        func attach(to other: any Actor) { context.attach(to: other) }

        func hand(_ container: PersistentContainer) -> BackgroundContext {
            container.newBackgroundContext()
        }
    }

    /// Runs a program that must trap, and gives what it says.
    private static func message(
        of result: ExitTest.Result?
    ) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test(
        "The first call from an isolation names the owner, and attaching it again changes nothing")
    func adoption() async throws {
        let container = try makeContainer()
        let keeper = Keeper(container, attaching: false)
        #expect(try await keeper.count() == 0)
        await keeper.attachAgain()
        try await container.performBackgroundTask { context in
            _ = context.insertQuake("us1")
            try context.save()
        }
        #expect(try await keeper.count() == 1)
    }

    @Test("A call without isolation neither names an owner nor asks for one")
    func withoutIsolation() throws {
        let context = try makeContainer().makeContext()
        func count(_ context: ManagedObjectContext) throws -> Int {
            try context.count(for: FetchRequest<Quake>())
        }
        #expect(try count(context) == 0)
        _ = context.insertQuake("us1")
        #expect(try count(context) == 1)
    }

    @Test("Children belong to whom their parent belongs to") @MainActor
    func children() async throws {
        let container = try makeContainer()
        let child = ManagedObjectContext(parent: container.viewContext)
        let grandchild = ManagedObjectContext(parent: child)
        #expect(try grandchild.count(for: FetchRequest<Quake>()) == 0)
        #expect(try child.count(for: FetchRequest<Quake>()) == 0)
        child.attach(to: MainActor.shared)

        let background = container.newBackgroundContext()
        let sheet = await background.newChildContext()
        let pad = await sheet.newChildContext()
        for context in [background, sheet, pad] {
            let count = try await context.withContext { context in
                let child = ManagedObjectContext(parent: context)
                return try child.count(for: FetchRequest<Quake>())
                    + context.count(for: FetchRequest<Quake>())
            }
            #expect(count == 0)
        }
    }

    @Test("A call from another isolation traps, naming both")
    func otherIsolation() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let context = try makeContainer().makeContext(ContextOptions(name: "import"))
            context.attach(to: MainActor.shared)
            let keeper = Keeper(try makeContainer())
            // What an application does with an unchecked box.
            struct Box: @unchecked Sendable { let context: ManagedObjectContext }
            let box = Box(context: context)
            func use(_ keeper: isolated Keeper) throws {
                _ = try box.context.count(for: FetchRequest<Quake>())
            }
            try await use(keeper)
        }
        let said = try Self.message(of: result)
        #expect(said.contains("the context 'import' belongs to the main actor"))
        #expect(said.contains("in the isolation of the actor 'Keeper'"))
    }

    @Test("A context is attached to one actor only")
    func secondAttachment() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let container = try makeContainer()
            await Keeper(container).attach(to: Keeper(container))
        }
        #expect(try Self.message(of: result).contains("A context has one owner in its life"))
    }

    @Test("The context of a background context cannot be attached to somebody else")
    func attachmentInPerform() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let background = try makeContainer().newBackgroundContext(ContextOptions(name: "bg"))
            await background.perform { $0.attach(to: MainActor.shared) }
        }
        #expect(
            try Self.message(of: result).contains(
                "the context 'bg' belongs to the actor 'BackgroundContext'"))
    }

    @Test("An actor that ended is still the owner")
    func ownerThatEnded() async {
        await #expect(processExitsWith: .failure) {
            let container = try makeContainer()
            func made() async -> ManagedObjectContext {
                struct Box: @unchecked Sendable { let context: ManagedObjectContext }
                func take(_ keeper: isolated Keeper) -> Box { Box(context: keeper.context) }
                return await take(Keeper(container)).context
            }
            let context = await made()
            // Many actors of one size: one gets the memory of the first, if that is free.
            for _ in 0..<1_000 { context.attach(to: Keeper(container, attaching: false)) }
        }
    }
}
