/// How long the leader of a group waits for saves that are likely to come.
///
/// Contexts that save again and again would form two groups that take turns, each of one half,
/// because a group starts while the contexts of the last one prepare their next saves. So the
/// leader waits for them: for a fraction of the time of a commit, and seldom once nobody has come.
struct SaveGathering: Sendable {
    /// Waiting for a commit that is faster than this costs more than it saves, in nanoseconds.
    static let shortestCall: Int64 = 500_000
    /// The longest wait, in nanoseconds.
    static let longestWait: Int64 = 2_000_000
    private static let callsPerWait: Int64 = 8
    private static let mostMisses = 5

    /// The number of saves that were in the store or waited for it when it was last done.
    private(set) var expected = 0
    private var callNanoseconds: Int64 = 0
    private var callCount = 0
    /// How many waits in a row ended without the expected saves.
    private var misses = 0

    /// Records a call of the store.
    ///
    /// - Parameters:
    ///   - count: The number of saves in the group.
    ///   - waiting: The number of saves that waited when the call ended.
    ///   - nanoseconds: The duration of the call.
    mutating func recordCall(of count: Int, waiting: Int, nanoseconds: Int64) {
        expected = min(count + waiting, SaveQueue.groupLimit)
        callNanoseconds = nanoseconds
        callCount &+= 1
    }

    /// Returns how long to wait for more saves, in nanoseconds; nil for not at all.
    func patience(waiting: Int) -> Int64? {
        guard waiting < expected, callNanoseconds >= Self.shortestCall,
            callCount & (1 << misses - 1) == 0
        else { return nil }
        return min(callNanoseconds / Self.callsPerWait, Self.longestWait)
    }

    /// Records whether a wait ended with the expected saves.
    mutating func recordWait(isComplete: Bool) {
        misses = isComplete ? 0 : min(misses + 1, Self.mostMisses)
    }
}
