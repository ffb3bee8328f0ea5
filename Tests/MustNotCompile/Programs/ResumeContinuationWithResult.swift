// A continuation is resumed with a result that has an object.
// expected: sending value of non-Sendable type 'Result<Quake\?, any Error>' risks causing data races
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async throws {
    let q: Quake? = try await withCheckedThrowingContinuation { k in
        #if TWIN
        k.resume(with: Result { nil })
        #else
        Task {
            await b.perform { ctx in
                k.resume(
                    with: Result { try ctx.fetch(FetchRequest<Quake>()).first { $0.magnitude > 1 } }
                )
            }
        }
        #endif
    }
        ;
    print(q?.code as Any)
}
