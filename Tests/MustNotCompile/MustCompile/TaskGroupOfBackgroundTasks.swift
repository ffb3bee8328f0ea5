// Task group own background contexts.

import Duramen

private func f(_ c: PersistentContainer, _ parts: [[String]]) async throws -> [ManagedObjectID] {
    try await withThrowingTaskGroup(of: [ManagedObjectID].self) { g in
        for p in parts {
            g.addTask {
                try await c.performBackgroundTask { ctx in
                    let qs = p.map { code in
                        let q = Quake(context: ctx); q.code = code; return q
                    }; try ctx.save(); return qs.map(\.objectID)
                }
            }
        }
        return try await g.reduce(into: []) { $0 += $1 }
    }
}
