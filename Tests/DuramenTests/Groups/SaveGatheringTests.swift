import Testing

@testable import Duramen

/// How long a leader waits for others.
@Suite struct SaveGatheringTests {
    private func gathering(_ count: Int, _ waiting: Int, _ nanoseconds: Int64) -> SaveGathering {
        var gathering = SaveGathering()
        gathering.recordCall(of: count, waiting: waiting, nanoseconds: nanoseconds)
        return gathering
    }

    @Test func aContextAloneNeverWaits() {
        #expect(SaveGathering().patience(waiting: 1) == nil)
        #expect(gathering(1, 0, 4_000_000).patience(waiting: 1) == nil)
    }

    @Test func theSavesOfTheLastGroupAreExpected() {
        let gathering = gathering(3, 5, 4_000_000)
        #expect(gathering.patience(waiting: 5) == 500_000)
        #expect(gathering.patience(waiting: 8) == nil)
        #expect(self.gathering(60, 60, 4_000_000).expected == SaveQueue.groupLimit)
    }

    @Test func aFastCommitIsNotWaitedFor() {
        #expect(gathering(4, 4, SaveGathering.shortestCall - 1).patience(waiting: 1) == nil)
        #expect(gathering(4, 4, 1 << 40).patience(waiting: 1) == SaveGathering.longestWait)
    }

    @Test func waitsInVainBecomeRare() {
        var gathering = SaveGathering()
        var waits = 0
        for _ in 0..<1_000 {
            gathering.recordCall(of: 1, waiting: 1, nanoseconds: 4_000_000)
            if gathering.patience(waiting: 1) == nil { continue }
            waits += 1
            gathering.recordWait(isComplete: false)
        }
        #expect(waits < 40)
        gathering.recordWait(isComplete: true)
        gathering.recordCall(of: 1, waiting: 1, nanoseconds: 4_000_000)
        #expect(gathering.patience(waiting: 1) != nil)
    }
}
