import Synchronization

/// Counts by name, from several threads.
final class Tally: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ name: String, _ count: Int = 1) {
        counts.withLock { $0[name, default: 0] += count }
    }

    /// Keeps the largest number.
    func raise(_ name: String, to number: Int) {
        counts.withLock { $0[name] = max($0[name] ?? number, number) }
    }

    subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

    /// All counts whose name begins so, the largest first: `storeBusy 12, io 3`.
    func list(_ prefix: String) -> String {
        let found = counts.withLock { $0.filter { $0.key.hasPrefix(prefix) } }
        let sorted = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return sorted.map { "\($0.key.dropFirst(prefix.count)) \($0.value)" }
            .joined(separator: ", ")
    }
}
