import CSQLite
import Synchronization

/// The beginning of the index of a log, which all processes share in memory and every commit
/// changes.
///
/// SQLite: the first 48 bytes of the shared memory are a copy of the header, with a counter of
/// transactions, the number of frames, and checksums (walformat.html, "WAL-Index Header").
// Sound: read only, and a head that is torn by a commit under way equals no other.
struct LogIndex: @unchecked Sendable {
    /// What stood there at one moment.
    struct Head: Equatable {
        // Of the counter and the checksums, all of which change with each commit.
        let words: SIMD8<UInt64>
    }

    private let start: UnsafeRawPointer

    /// Finds the index; nil for a connection without a log, or that has read nothing yet.
    init?(of connection: Connection) {
        guard let start = connection.logIndexStart else { return nil }
        self.start = start
    }

    /// What stands there now.
    var head: Head {
        var words = SIMD8<UInt64>()
        atomicMemoryFence(ordering: .acquiring)
        for place in 0..<6 {
            words[place] = start.load(fromByteOffset: place * 8, as: UInt64.self)
        }
        return Head(words: words)
    }
}
