// A task outlives the unit of work that its context belongs to.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

func captureContextInTaskInsideBackgroundTask(_ container: PersistentContainer) async {
    await container.performBackgroundTask { context in
        #if TWIN
        _ = Task { try await container.performBackgroundTask { try $0.save() } }
        #else
        _ = Task { try context.save() }
        #endif
    }
}
