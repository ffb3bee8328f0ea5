// An error carries an object out of perform. Swift only warns, where the error is declared.
// warns: stored property 'quake' of 'Sendable'-conforming struct 'Bad' has non-Sendable type
// stops: was used outside of

import Duramen

private struct Bad: Error { let quake: Quake }

func gapErrorCarriesObject(_ world: World) async throws {
    do {
        try await world.background.perform { context in throw Bad(quake: try context.anyQuake()) }
    } catch {
        (error as? Bad)?.quake.note = "outside"
    }
}
