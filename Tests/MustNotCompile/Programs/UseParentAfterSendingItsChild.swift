// A child is given away, and its parent used on.
// expected: sending '\w+' risks causing data races

import Duramen

private func adopt(_ context: sending ManagedObjectContext) async {}

func useParentAfterSendingItsChild(_ container: PersistentContainer) async throws {
    let context = container.makeContext()
    let child = ManagedObjectContext(parent: context)
    await adopt(child)
    #if TWIN
    print("adopted")
    #else
    try context.save()
    #endif
}
