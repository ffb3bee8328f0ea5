// Objects of a background context are yielded by a stream.
// expected: sending 'q' risks causing data races
// differs: in one statement of several lines

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) -> AsyncStream<String> {
    AsyncStream { k in
        Task {
            try await b.perform { ctx in
                for q in try ctx.fetch(FetchRequest<Quake>()) { k.yield(q.code) }
            }
        }
    }
}
#else
private func f(_ b: BackgroundContext) -> AsyncStream<Quake> {
    AsyncStream { k in
        Task {
            try await b.perform { ctx in
                for q in try ctx.fetch(FetchRequest<Quake>()) { k.yield(q) }
            }
        }
    }
}
#endif
