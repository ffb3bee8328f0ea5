// A continuation is resumed with a found object.
// expected: sending value of non-Sendable type 'Quake\?' risks causing data races
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async throws {
    let id: ManagedObjectID? = try await withCheckedThrowingContinuation { k in
        Task {
            try await b.perform { ctx in
                k.resume(returning: try ctx.fetch(FetchRequest<Quake>()).first?.objectID)
            }
        }
    }
    let q: Quake? = try await withCheckedThrowingContinuation { k in
        #if TWIN
        k.resume(returning: nil)
        _ = (b, id)
        #else
        Task {
            try await b.perform { ctx in
                k.resume(returning: try ctx.fetch(FetchRequest<Quake>()).first { $0.magnitude > 1 })
            }
        }
        #endif
    }
        ;
    print(q?.code as Any, id as Any)
}
