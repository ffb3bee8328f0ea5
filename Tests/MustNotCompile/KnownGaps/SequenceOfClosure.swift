// A sequence that unfolds by a closure over an object leaves perform.
// stops: was used outside of

import Duramen

func gapSequenceOfClosure(_ world: World) async throws {
    let numbers = try await world.background.perform { context in
        let quake = try context.anyQuake()
        return sequence(first: 1) {
            quake.note = "outside"; return $0 + 1
        }
    }
    for _ in numbers.prefix(2) {}
}
