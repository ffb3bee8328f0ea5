// An error with an object is the result of perform.
// warns: stored property 'quake' of 'Sendable'-conforming struct 'Bad' has non-Sendable type
// stops: was used outside of

import Duramen

private struct Bad: Error { let quake: Quake }

func gapErrorIsReturned(_ world: World) async throws {
    let bad = try await world.background.perform { context in Bad(quake: try context.anyQuake()) }
    bad.quake.note = "outside"
}
