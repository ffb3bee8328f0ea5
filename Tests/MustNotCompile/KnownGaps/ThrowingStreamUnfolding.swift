// The same with a stream that throws.
// warns: capture of 'quake' with non-Sendable type 'Quake' in a '@Sendable' closure
// stops: was used outside of

import Duramen

func gapThrowingStreamUnfolding(_ world: World) async throws {
    let stream = try await world.background.perform { context in
        let quake = try context.anyQuake()
        return AsyncThrowingStream<Int, any Error>(unfolding: {
            quake.note = "outside"; return nil
        })
    }
    for try await _ in stream {}
}
