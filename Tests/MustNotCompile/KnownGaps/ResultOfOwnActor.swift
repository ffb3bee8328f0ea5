// An actor of the application has a generic method with a sending result.
// stops: was used (outside of|after its context)

import Duramen

private actor Repository {
    let context: ManagedObjectContext
    init(_ container: PersistentContainer) {
        context = container.makeContext()
        context.attach(to: self)
    }
    func read<R>(_ body: sending (ManagedObjectContext) throws -> sending R) throws -> sending R {
        try body(context)
    }
}

func gapResultOfOwnActor(_ world: World) async throws {
    let quake = try await Repository(world.container).read {
        try $0.fetch(FetchRequest<Quake>()).first { !$0.code.isEmpty }
    }
    quake?.note = "outside"
}
