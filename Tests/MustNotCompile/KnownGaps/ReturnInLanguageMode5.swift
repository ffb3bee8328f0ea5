// In the language mode of Swift 5 an object that leaves perform is a warning.
// warns: conformance of 'ManagedObject' to 'Sendable' is unavailable
// stops: was used outside of
// flags: -swift-version 5

import Duramen

func gapReturnInLanguageMode5(_ world: World) async throws {
    let quake = try await world.background.perform { try $0.anyQuake() }
    quake.note = "outside"
}
