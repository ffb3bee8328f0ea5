// A child of the view context is used in the background.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureChildContextInPerform(_ container: PersistentContainer) async throws {
    let sheet = ManagedObjectContext(parent: container.viewContext)
    let background = container.newBackgroundContext()
    try await background.perform { context in
        #if TWIN
        try context.save()
        #else
        try sheet.save()
        #endif
    }
}
