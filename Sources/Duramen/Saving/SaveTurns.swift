/// The order of a context's saves off its owner: one at a time is prepared and written, others
/// wait.
///
/// Waiting saves are resumed in the order of arrival.
struct SaveTurns {
    /// Whether a save off the owner is in progress.
    private(set) var isTaken = false
    /// The save that is being written. Its parts are in flight meanwhile.
    private(set) var underWay: SaveUnderWay?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the turn, if it is free.
    mutating func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }

    /// Waits for the turn.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Passes the turn to the save that has waited longest.
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
