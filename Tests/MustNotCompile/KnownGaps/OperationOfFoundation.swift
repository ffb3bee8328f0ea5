// An unchecked operation of Foundation's keeps an object.
// stops: was used outside of

import Duramen
import Foundation

private final class Edit: Operation, @unchecked Sendable {
    let quake: Quake
    init(_ quake: Quake) { self.quake = quake }
    override func main() { quake.note = "outside" }
}

@MainActor func gapOperationOfFoundation(_ world: World) async throws {
    let queue = OperationQueue()
    queue.addOperation(Edit(try world.container.viewContext.anyQuake()))
    try await Task.sleep(for: .seconds(60))
}
