import DuramenModel
import Foundation

/// Makes the identifiers of saves, each of them once.
///
/// The first identifier of a process is random, and the others count up from it. A random one for
/// each save would cost as much as a row that it writes. A forked child starts with a new random
/// one, or it would repeat its parent's.
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
        // The bits that mark a UUID of version 4: random.
        let words = (
            (first & ~0xF000 | 0x4000).bigEndian, (second & ~(3 << 62) | 1 << 63).bigEndian
        )
        return UUID(uuid: withUnsafeBytes(of: words) { $0.load(as: uuid_t.self) })
    }
}
