// The outer context is saved instead of the closure's.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureViewContextInPerform(_ container: PersistentContainer) async throws {
    let viewContext = container.viewContext
    let background = container.newBackgroundContext()
    try await background.perform { context in
        #if TWIN
        try context.save()
        #else
        try viewContext.save()
        #endif
    }
}
