// A view-context object is edited by a task that saves another context.
// expected: passing closure as a 'sending' parameter risks causing data races

import Duramen

@MainActor
func captureViewObjectInDetachedTask(_ container: PersistentContainer) {
    let background = container.newBackgroundContext()
    let quake = Quake(context: container.viewContext)
    let id = quake.objectID
    Task.detached {
        #if TWIN
        try await background.perform { try $0.existingObject(with: id, as: Quake.self).note = "" }
        #else
        quake.note = ""
        #endif
        try await background.perform { try $0.save() }
    }
}
