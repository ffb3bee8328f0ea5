import Foundation

/// The memory in which the readers of a store cache pages.
///
/// Other pages come from the system's cache at best, with a call and a copy each. So a look-up in a
/// table larger than the reader's cache costs half as much again. Readers are used in the order in
/// which they were opened, so the first has most of the memory.
struct ReadCache {
    /// The largest number of bytes of the first reader.
    let bytes: Int

    /// - Parameter bytes: The requested number of bytes; nil for a 64th of the machine's memory,
    ///   between 8 and 128 MiB.
    init(bytes: Int?) {
        let memory = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        self.bytes = bytes ?? min(max(memory / 64, Self.little), 128 << 20)
    }

    /// The least number of bytes for further readers, if the first has more.
    private static let little = 8 << 20

    /// The limit of a reader.
    ///
    /// - Parameter number: The number of readers that were opened before.
    func kibibytes(ofReader number: Int) -> Int {
        let share = max(bytes >> min(number, 62), min(bytes, Self.little))
        // The engine interprets 0 as its own minimum.
        return min(max(share, 0) >> 10, Int(Int32.max))
    }
}
