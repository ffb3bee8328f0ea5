// A dictionary of anything is cast to one of Sendable values.
// stops: was used outside of

import Duramen

func gapConditionalCastOfDictionary(_ world: World) async throws {
    let values = try await world.background.perform { context in
        ["q": try context.anyQuake()] as [String: Any] as? [String: any Hashable & Sendable]
    }
    (values?["q"] as? Quake)?.note = "outside"
}
