// The main actor takes an object from the actor that owns its context.
// expected: non-Sendable 'Quake'-typed result can not be returned from actor-isolated

import Duramen

actor QuakeOwner {
    let context: ManagedObjectContext

    init(container: PersistentContainer) {
        context = container.makeContext()
        context.attach(to: self)
    }

    func newest() -> Quake { Quake(context: context) }
    func newestID() -> ManagedObjectID { newest().objectID }
}

@MainActor
func takeObjectFromOwningActor(_ owner: QuakeOwner) async {
    #if TWIN
    print(await owner.newestID())
    #else
    print(await owner.newest())
    #endif
}
