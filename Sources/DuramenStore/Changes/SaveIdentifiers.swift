import DuramenModel
import Foundation

/// The names of saves, each given once.
///
/// The first one of a process is random, and each further one counts on from it: a random one for
/// every save would cost as much as a row that it writes. A child made by fork begins anew, or it
/// would count as its parent does.
enum SaveIdentifiers {
    private struct State {
        var process = ProcessMark()
        var first = UInt64.random(in: 0...UInt64.max)
        var second = UInt64.random(in: 0...UInt64.max)
    }

    private static let state = Locked(State())

    static func next() -> UUID {
        let (first, second) = state.withLock { state in
            if state.process.isInherited { state = State() }
            state.second &+= 1
            return (state.first, state.second)
        }
        // A UUID says how it was made: version 4 is random.
        let words = (
            (first & ~0xF000 | 0x4000).bigEndian, (second & ~(3 << 62) | 1 << 63).bigEndian
        )
        return UUID(uuid: withUnsafeBytes(of: words) { $0.load(as: uuid_t.self) })
    }
}
