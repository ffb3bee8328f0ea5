// The same with a background context: a call within its isolation crosses none.
// stops: was used outside of

import Duramen

private func leak(in background: isolated BackgroundContext) async throws -> Task<Void, Never> {
    var quake: Quake?
    try await background.perform { quake = try $0.anyQuake() }
    let leaked = quake
    return Task.detached { leaked?.note = "outside" }
}

func gapIsolatedParameterOfBackgroundContext(_ world: World) async throws {
    await (try await leak(in: world.background)).value
}
