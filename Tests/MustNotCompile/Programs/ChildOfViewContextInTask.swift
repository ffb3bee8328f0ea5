// A detached task saves a child of the view context.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

@MainActor private func f(_ c: PersistentContainer) {
    let s = ManagedObjectContext(parent: c.viewContext)
    #if TWIN
    Task { try s.save() }
    #else
    Task.detached { try s.save() }
    #endif
}
