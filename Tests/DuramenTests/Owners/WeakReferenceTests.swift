import Dispatch
import Duramen
import Foundation
import StoreTestSupport
import Synchronization
import Testing

/// A context may end on any thread, while another loads a weak reference to one of its objects: the object then
/// lives on with all that it owns. The address sanitizer sees what would be read after it was freed.
@Suite struct WeakReferenceTests {
    /// Weak references that several threads load, as Swift 5 code may.
    private final class Weakly: @unchecked Sendable {
        weak var first: Quake?
        weak var last: Quake?

        init(_ quakes: [Quake]) {
            first = quakes.first
            last = quakes.last
        }
    }

    /// Holds a context until one thread drops it.
    private struct Held: @unchecked Sendable { var context: ManagedObjectContext? }

    @Test("An object that outlives its context keeps its values", arguments: [1, 40, 600])
    func race(count: Int) throws {
        let container = try makeContainer()
        try container.saveElsewhere { context in
            for number in 0..<count { _ = context.insertQuake("us\(number)") }
        }
        let rounds = count == 600 ? 400 : 3_000
        let survivors = Atomic<Int>(0)
        for _ in 0..<rounds {
            var held = Held(context: container.makeContext())
            let weakly = Weakly(
                try held.context!.fetch(FetchRequest<Quake>().sorted(by: \.code)))
            let ready = Atomic<Int>(0)
            let done = DispatchSemaphore(value: 0)
            let box = Mutex<Held>(held)
            held.context = nil
            withoutActuallyEscaping({
                ready.add(1, ordering: .sequentiallyConsistent)
                while ready.load(ordering: .sequentiallyConsistent) < 2 {}
                for _ in 0..<50 {
                    guard let quake = weakly.last ?? weakly.first else { break }
                    // From its own row and its plan, with or without a context.
                    if quake.code.isEmpty || quake.objectID.entityName != "Quake" { break }
                    if quake.managedObjectContext == nil {
                        survivors.add(1, ordering: .relaxed)
                        break
                    }
                }
                done.signal()
            } as @Sendable () -> Void) { body in
                DispatchQueue.global().async(execute: body)
                ready.add(1, ordering: .sequentiallyConsistent)
                while ready.load(ordering: .sequentiallyConsistent) < 2 {}
                box.withLock { $0.context = nil }
                done.wait()
            }
        }
        print("\(survivors.load(ordering: .relaxed)) of \(rounds) objects outlived their context")
    }
}
