import Foundation

/// How much memory the readers of a store keep pages in.
///
/// Pages that are not kept come from the system's memory at best, a call and a copy each: a look-up
/// in a table that is larger than what its reader keeps costs half as much again. Readers are used
/// in the order in which they were opened, so the first has most of the memory.
struct ReadCache {
    /// How many bytes the first reader keeps at most.
    let bytes: Int

    /// - Parameter bytes: What was asked for; nil for a 64th of the machine's memory, between 8 and
    ///   128 MiB.
    init(bytes: Int?) {
        let memory = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        self.bytes = bytes ?? min(max(memory / 64, Self.little), 128 << 20)
    }

    /// What a reader beside several others has at least, of a larger whole.
    private static let little = 8 << 20

    /// The limit of a reader.
    ///
    /// - Parameter number: How many were opened before.
    func kibibytes(ofReader number: Int) -> Int {
        let share = max(bytes >> min(number, 62), min(bytes, Self.little))
        // The engine takes 0 for its own least.
        return min(max(share, 0) >> 10, Int(Int32.max))
    }
}
