// A context is used after it was given away.
// expected: sending '\w+' risks causing data races

import Duramen

private func adopt(_ context: sending ManagedObjectContext) async {}

func useContextAfterSending(_ container: PersistentContainer) async throws {
    let context = container.makeContext()
    await adopt(context)
    #if TWIN
    print("adopted")
    #else
    try context.save()
    #endif
}
