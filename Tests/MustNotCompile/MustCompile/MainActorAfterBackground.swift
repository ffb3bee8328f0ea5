// MainActor.run from background with ids.

import Duramen

private func f(_ c: PersistentContainer) async throws {
    let id = try await c.performBackgroundTask { x in
        let q = Quake(context: x); try x.save(); return q.objectID
    };
    try await MainActor.run {
        try c.viewContext.existingObject(with: id, as: Quake.self).note = "seen";
        try c.viewContext.save()
    }
}
