// An array of anything is cast to one of Sendable values.
// warns: conditional cast from '\[Any\]' to '\[any Sendable\]' always succeeds
// stops: was used outside of

import Duramen

func gapConditionalCastOfArray(_ world: World) async throws {
    let values = try await world.background.perform { context in
        ([try context.anyQuake()] as [Any]) as? [any Sendable]
    }
    (values?.first as? Quake)?.note = "outside"
}
