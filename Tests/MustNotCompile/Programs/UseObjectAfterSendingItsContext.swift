// An object is used after its context was given away.
// expected: sending '\w+' risks causing data races

import Duramen

private func take(_ context: sending ManagedObjectContext) async {}

func useObjectAfterSendingItsContext(_ container: PersistentContainer) async {
    let context = container.makeContext()
    let quake = Quake(context: context)
    let id = quake.objectID
    await take(context)
    #if TWIN
    print(id)
    #else
    print(quake.code, id)
    #endif
}
