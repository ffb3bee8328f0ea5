import Dispatch
import Duramen
import DuramenTestKit
import Foundation
import StoreTestSupport
import Synchronization
import Testing

/// A context may end on any thread, while another loads a weak reference to one of its objects: the
/// object then lives on with all that it owns. The address sanitizer sees what would be read after
/// it was freed.
@Suite struct WeakReferenceTests {
    /// Weak references that several threads load, as unchecked code may.
    private final class Weakly: @unchecked Sendable {
        weak var first: Quake?
        weak var last: Quake?

        @inline(never)
        func fetch(in context: ManagedObjectContext?) throws {
            let quakes = try context?.fetch(FetchRequest<Quake>().sorted(by: \.code))
            first = quakes?.first
            last = quakes?.last
        }
    }

    /// A thread that loads weak references, one round after the other.
    private final class Loader: Sendable {
        let weakly = Weakly()
        private let endCount = Atomic<Int>(0)
        private let (begin, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        func run(rounds: Int) {
            Thread { [self] in
                for _ in 0..<rounds {
                    begin.wait()
                    load()
                    end.signal()
                }
            }.start()
        }

        /// Loads until the objects are gone.
        private func load() {
            var random = SplitMix64(seed: UInt64.random(in: 0 ... .max))
            while let quake = weakly.last ?? weakly.first {
                // Mostly it is not held, so that the context finds it so, and now and then for
                // longer than the context needs to end.
                if random.next() % 4 == 0 {
                    let ended = endCount.load(ordering: .relaxed)
                    for _ in 0..<20_000 where endCount.load(ordering: .relaxed) == ended {}
                }
                // From its own row and its plan, with or without a context.
                precondition(quake.code.hasPrefix("us") && quake.objectID.entityName == "Quake")
            }
        }

        func during(_ body: () -> Void) {
            begin.signal()
            // The loader is at work when the context ends, sooner or later.
            for _ in 0..<UInt64.random(in: 0..<3_000) { _ = endCount.load(ordering: .relaxed) }
            body()
            endCount.add(1, ordering: .relaxed)
            end.wait()
        }
    }

    @Test("An object that outlives its context keeps its values", arguments: [1, 40, 600])
    func race(count: Int) throws {
        let container = try makeContainer()
        try container.saveElsewhere { context in
            for number in 0..<count { _ = context.insertQuake("us\(number)") }
        }
        let rounds = StoreTestSupport.rounds(60_000 / (count + 20))
        let loader = Loader()
        loader.run(rounds: rounds)
        for _ in 0..<rounds {
            var context: ManagedObjectContext? = container.makeContext()
            try loader.weakly.fetch(in: context)
            loader.during { context = nil }
            #expect(loader.weakly.first == nil && loader.weakly.last == nil)
        }
    }
}
