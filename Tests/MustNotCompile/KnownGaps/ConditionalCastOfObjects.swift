// An array of objects is cast to one of Sendable values.
// warns: conditional cast from '\[Quake\]' to '\[any Sendable\]' always succeeds
// stops: was used outside of

import Duramen

func gapConditionalCastOfObjects(_ world: World) async throws {
    let values: [any Sendable]? = try await world.background.perform { context in
        try context.fetch(FetchRequest<Quake>()) as? [any Sendable]
    }
    (values?.first as? Quake)?.note = "outside"
}
