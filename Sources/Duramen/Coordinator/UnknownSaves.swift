import DuramenModel
import DuramenStore
import Foundation

/// The saves of a coordinator's contexts that nobody knows the outcome of, and the outcomes found
/// out since.
///
/// Whoever saves next finds out, for all: what was committed is news to every other context, and a
/// save must know of deletions that came before it.
struct UnknownSaves: Sendable {
    private struct Open {
        let save: UnknownSave
        let sender: Inbox
        /// Whether the context that made it still asks.
        var isAwaited = true
    }

    private var open: [Open] = []
    private var committed: Set<UUID> = []

    mutating func add(_ save: UnknownSave, from sender: Inbox) {
        open.append(Open(save: save, sender: sender))
    }

    /// The oldest that is still to be found out.
    var next: (save: UnknownSave, sender: Inbox)? { open.first.map { ($0.save, $0.sender) } }

    /// Notes the outcome of ``next``.
    mutating func resolveNext(isCommitted: Bool) {
        let first = open.removeFirst()
        if isCommitted, first.isAwaited { committed.insert(first.save.identifier) }
    }

    /// Whether a save that was found out was committed.
    func isCommitted(_ identifier: UUID) -> Bool { committed.contains(identifier) }

    /// Forgets a save that nobody asks for any more. While it is open it is still to be found out,
    /// for the others.
    mutating func forget(_ identifier: UUID) {
        committed.remove(identifier)
        for index in open.indices where open[index].save.identifier == identifier {
            open[index].isAwaited = false
        }
    }
}
