import Dispatch
import Duramen
import Foundation
import Testing

/// What the compiler lets through is noticed while the program runs.
@Suite struct OwnerCheckTests {
    /// Carries anything anywhere, as an application should not.
    private struct Smuggled<Value>: @unchecked Sendable { let value: Value }

    private static func message(of result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    /// A quake of the view context, saved and read.
    @MainActor private static func quake() throws -> Smuggled<Quake> {
        let context = try makeContainer(options: ContextOptions(name: "view")).viewContext
        let quake = context.insertQuake("us1")
        try context.save()
        withExtendedLifetime(context) {}
        kept = context
        return Smuggled(value: quake)
    }

    @MainActor private static var kept: ManagedObjectContext?

    @Test(
        "The first write of an object outside of its owner traps, naming object, context and remedy"
    )
    func write() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let quake = try await Self.quake()
            quake.value.magnitude = 9
        }
        let said = try Self.message(of: result)
        #expect(said.contains("Quake/p1 of the context 'view' was used outside of the main actor"))
        #expect(said.contains("Pass an object ID or values"))
    }

    @Test("So does a fault")
    func fault() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let quake = try await Self.quake()
            try await MainActor.run { try Self.kept?.refresh(quake.value, mergeChanges: false) }
            _ = quake.value.magnitude
        }
        #expect(try Self.message(of: result).contains("was used outside of the main actor"))
    }

    @Test("So does a call of the context, from another thread or another context's queue")
    func calls() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let background = try makeContainer().newBackgroundContext(ContextOptions(name: "bg"))
            let context = await background.perform { Smuggled(value: $0) }
            _ = try context.value.fetch(FetchRequest<Quake>(), isolation: nil)
        }
        #expect(
            try Self.message(of: result).contains(
                "the context 'bg' was used outside of the actor 'BackgroundContext'"))
        await #expect(processExitsWith: .failure) {
            let container = try makeContainer()
            let (first, second) = (
                container.newBackgroundContext(), container.newBackgroundContext()
            )
            let context = await first.perform { Smuggled(value: $0) }
            await second.perform { _ in context.value.rollback() }
        }
        await #expect(processExitsWith: .failure) {
            let container = try makeContainer()
            let context = await MainActor.run { Smuggled(value: container.viewContext) }
            await container.performBackgroundTask { _ in _ = Quake(context: context.value) }
        }
    }

    @Test("Every way to the owner is accepted") @MainActor
    func owner() async throws {
        let container = try makeContainer()
        let quake = container.viewContext.insertQuake("us1")
        try container.viewContext.save()
        let smuggled = Smuggled(value: quake)
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                smuggled.value.magnitude = 2
                continuation.resume()
            }
        }
        await Task { @MainActor in smuggled.value.magnitude = 3 }.value
        let background = container.newBackgroundContext()
        let inside = await background.perform { Smuggled(value: $0) }
        background.performAndWait { _ in _ = inside.value.insertQuake("us2") }
        let sheet = await background.newChildContext()
        // One queue for both.
        await sheet.perform { _ in _ = inside.value.insertQuake("us3") }
        #expect(await background.perform { $0.insertedObjects.count } == 2)
    }
}
