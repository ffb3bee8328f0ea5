import CSQLite
import Synchronization

/// The start of a log's index, which all processes share in memory and every commit changes.
///
/// SQLite: the first 48 bytes of the shared memory are the header. It has a counter of
/// transactions, the number of frames, and checksums (walformat.html, "WAL-Index Header").
// Sound: read only, and a head that is torn by a commit under way equals no other.
struct LogIndex: @unchecked Sendable {
    /// The content at one moment.
    struct Head: Equatable {
        // Includes the counter and the checksums, all of which change with each commit.
        let words: SIMD8<UInt64>
    }

    private let start: UnsafeRawPointer

    /// Finds the index; nil for a connection without a log, or before its first read.
    init?(of connection: Connection) {
        guard connection.hasLog, let start = connection.logIndexStart else { return nil }
        self.start = start
    }

    /// The current content.
    var head: Head {
        var words = SIMD8<UInt64>()
        atomicMemoryFence(ordering: .acquiring)
        for place in 0..<6 {
            words[place] = start.load(fromByteOffset: place * 8, as: UInt64.self)
        }
        return Head(words: words)
    }
}
