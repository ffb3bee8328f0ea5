// The same with a class.
// warns: stored property 'quake' of 'Sendable'-conforming class 'Bad' has non-Sendable type
// stops: was used outside of

import Duramen

private final class Bad: Error {
    let quake: Quake
    init(_ quake: Quake) { self.quake = quake }
}

func gapErrorClassCarriesObject(_ world: World) async throws {
    do {
        try await world.background.perform { context in throw Bad(try context.anyQuake()) }
    } catch {
        (error as? Bad)?.quake.note = "outside"
    }
}
