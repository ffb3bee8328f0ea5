// A stream whose closure captures an object leaves perform.
// warns: capture of 'quake' with non-Sendable type 'Quake' in a '@Sendable' closure
// stops: was used outside of

import Duramen

func gapStreamUnfolding(_ world: World) async throws {
    let stream = try await world.background.perform { context in
        let quake = try context.anyQuake()
        return AsyncStream<Int>(unfolding: {
            quake.note = "outside"; return nil
        })
    }
    for await _ in stream {}
}
