import Duramen
import DuramenMemory
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Contexts that end while something waits to be done on their owner.
struct ContextEndTests {
    @Test("The last reference may be dropped on another thread while the unit of work is ended")
    func lastReference() async throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let yields = Int.random(in: 0..<8, using: &random)
            let container = try makeContainer()
            // Made on the main actor, which schedules the end of its unit of work there.
            let count = try await MainActor.run {
                _ = container.viewContext.insertQuake("here")
                return try container.viewContext.count(for: FetchRequest<Quake>())
            }
            #expect(count == 1)
            let drop = Task.detached { [container] in
                for _ in 0..<yields { await Task.yield() }
                withExtendedLifetime(container) {}
            }
            try await container.performBackgroundTask { context in
                for number in 0..<5 {
                    _ = context.insertQuake("\(number)")
                    try context.save()
                }
            }
            await drop.value
        }
    }
}
