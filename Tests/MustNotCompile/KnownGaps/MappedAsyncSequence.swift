// A mapped asynchronous sequence takes an object of the main actor along.
// warns: capture of 'quake' with non-Sendable type 'Quake' in a '@Sendable' closure
// stops: was used outside of

import Duramen

@MainActor func gapMappedAsyncSequence(_ world: World) async throws {
    let quake = try world.container.viewContext.anyQuake()
    let numbers = AsyncStream<Int> {
        $0.yield(1); $0.finish()
    }
    let texts = numbers.map { number in quake.note = "\(number)" }
    await Task.detached { for await _ in texts {} }.value
}
