// A result whose failure has an object is returned.
// warns: stored property 'object' of 'Sendable'-conforming struct 'NotValid' has non-Sendable type
// stops: was used outside of

import Duramen

private struct NotValid: Error { let object: Quake }

func gapResultOfFailure(_ world: World) async throws {
    let result = try await world.background.perform { context -> Result<Int, NotValid> in
        .failure(NotValid(object: try context.anyQuake()))
    }
    if case .failure(let error) = result { error.object.note = "outside" }
}
