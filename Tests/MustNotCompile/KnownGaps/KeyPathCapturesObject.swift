// A key path captures an object. An unavailable conformance switches Swift's check of captured
// values off.
// stops: was used outside of

import Duramen

private struct Holder: Sendable { subscript(quake: Quake) -> Quake { quake } }

func gapKeyPathCapturesObject(_ world: World) async throws {
    let path = try await world.background.perform { context in
        let quake = try context.anyQuake()
        return \Holder[quake]
    }
    Holder()[keyPath: path].note = "outside"
}
