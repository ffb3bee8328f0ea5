/// The saves of a context off its owner: one at a time is prepared and written, others wait.
///
/// Whoever waits is woken in the order of coming, and has the turn then.
struct SaveTurns {
    /// Whether a save off the owner is prepared, written or waited for.
    private(set) var isTaken = false
    /// The save that is being written. Its parts are in flight meanwhile.
    private(set) var underWay: SaveUnderWay?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the turn, if nobody has it.
    mutating func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }

    /// Waits for the turn.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Gives the turn to whoever has waited longest.
    mutating func pass() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }

    mutating func begin(_ save: SaveUnderWay) { underWay = save }

    mutating func end() { underWay = nil }
}
