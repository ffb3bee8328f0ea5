import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Synchronization
import Testing

/// The list of snapshots that stores share, when several threads use it at once.
@Suite struct HeldSnapshotsTests {
    /// A reader whose state is whole, or given up.
    private final class PlainReader: SnapshotReader {
        private let lost = Atomic<Bool>(false)

        var isLost: Bool { lost.load(ordering: .relaxed) }

        func endIfUnused() -> Bool { !lost.exchange(true, ordering: .relaxed) }
    }

    private func list(leaseSeconds: Double) -> HeldSnapshots {
        HeldSnapshots(path: "library", lease: SnapshotLease(seconds: leaseSeconds))
    }

    @Test("The last user of a snapshot may let go of it while overdue ones are looked for")
    func lettingGoMeanwhile() {
        for lease in [0.0, 300] {
            let held = list(leaseSeconds: lease)
            DispatchQueue.concurrentPerform(iterations: 2) { lane in
                for number in 0..<20_000 {
                    if lane == 0 {
                        held.endOverdue()
                    } else {
                        let reader = PlainReader()
                        // Noted by its own reader, held by nobody else, and let go at once.
                        let generation = StoreGeneration(rawValue: Int64(number))
                        do {
                            let shared = try held.share(generation, reader)
                            #expect(shared == nil, "a state of its own is shared")
                        } catch {
                            Issue.record(error)
                        }
                        if !held.remove(reader) { Issue.record("a state has another user") }
                    }
                }
            }
            #expect(held.count == 0)
        }
    }

    @Test("A state ends with the last of its snapshots, however many threads take and give them")
    func sharing() throws {
        let held = list(leaseSeconds: 300)
        let generation = StoreGeneration(rawValue: 7)
        let first = PlainReader()
        #expect(try held.share(generation, first) == nil)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for _ in 0..<20_000 {
                let shared = try? held.share(generation, PlainReader())
                if shared !== first || held.remove(first) {
                    Issue.record("a state that somebody holds is not shared, or ends early")
                }
            }
        }
        #expect(held.count == 1)
        #expect(held.remove(first))
        #expect(held.count == 0)
    }

    @Test("A state that was given up is not handed out again")
    func lostStates() throws {
        let held = list(leaseSeconds: 0)
        let generation = StoreGeneration(rawValue: 7)
        let first = PlainReader()
        _ = try held.share(generation, first)
        #expect(held.endOverdue() == 1)
        #expect(held.endOverdue() == 0)
        let second = PlainReader()
        #expect(try held.share(generation, second) == nil)
        #expect(held.count == 1)
        #expect(held.remove(first))
        #expect(held.remove(second))
    }
}
