import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// The list of snapshots that stores share, when several threads use it at once.
@Suite struct HeldSnapshotsTests {
    private final class EndlessReader: SnapshotReader {
        var isLost: Bool { false }
    }

    /// Takes itself out of the list when it goes, as those of stores do.
    private final class CountedSnapshot: LeasedSnapshot {
        let generation: StoreGeneration
        let reader = EndlessReader()
        private let held: HeldSnapshots<CountedSnapshot>

        init(_ generation: StoreGeneration, _ held: HeldSnapshots<CountedSnapshot>) {
            self.generation = generation
            self.held = held
        }

        deinit { held.remove(reader) }

        func endIfUnused() -> Bool { false }
    }

    @Test("The last user of a snapshot may let go of it while overdue ones are looked for")
    func lettingGoMeanwhile() {
        for lease in [0, 300] {
            let held = HeldSnapshots<CountedSnapshot>(
                path: "library", lease: SnapshotLease(seconds: Double(lease)))
            DispatchQueue.concurrentPerform(iterations: 2) { lane in
                for number in 0..<20_000 {
                    if lane == 0 {
                        held.endOverdue()
                    } else {
                        let made = CountedSnapshot(
                            StoreGeneration(rawValue: Int64(number)), held)
                        // Noted by its own reader, held by nobody else, and let go at once.
                        _ = try? held.share(made.generation, made.reader) { made }
                    }
                }
            }
            #expect(held.count == 0)
        }
    }
}
