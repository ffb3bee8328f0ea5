// A context is attached to an actor that does not keep it, and used in another one.
// stops: belongs to the actor 'Stranger' and was used in the isolation of the actor 'Keeper'

import Duramen

private actor Stranger {}
private actor Keeper {
    let context: ManagedObjectContext
    init(_ context: sending ManagedObjectContext) { self.context = context }
    func count() throws -> Int { try context.count(for: FetchRequest<Quake>()) }
}

func gapAttachToForeignActor(_ world: World) async throws {
    let context = world.container.makeContext()
    context.attach(to: Stranger())
    print(try await Keeper(context).count())
}
