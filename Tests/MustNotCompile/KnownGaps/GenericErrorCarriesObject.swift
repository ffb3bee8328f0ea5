// The same with a generic error.
// warns: stored property 'value' of 'Sendable'-conforming generic struct 'Wrap' has non-Sendable type
// stops: was used outside of

import Duramen

private struct Wrap<T>: Error { let value: T }

func gapGenericErrorCarriesObject(_ world: World) async throws {
    do {
        try await world.background.perform { context in throw Wrap(value: try context.anyQuake()) }
    } catch {
        (error as? Wrap<Quake>)?.value.note = "outside"
    }
}
