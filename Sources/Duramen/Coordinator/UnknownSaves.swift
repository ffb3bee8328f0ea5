import DuramenModel
import DuramenStore
import Foundation

/// The saves of unknown outcome of a coordinator's contexts, and outcomes resolved since.
///
/// The next save, of any context, resolves all of them first. Other contexts must be notified of
/// committed saves, and a save must know of earlier deletions.
struct UnknownSaves: Sendable {
    private struct Open {
        let save: UnknownSave
        let sender: Inbox
        /// Whether the context that saved still needs the outcome.
        var isAwaited = true
    }

    private var open: [Open] = []
    private var committed: Set<UUID> = []

    mutating func add(_ save: UnknownSave, from sender: Inbox) {
        open.append(Open(save: save, sender: sender))
    }

    /// The oldest unresolved save.
    var next: (save: UnknownSave, sender: Inbox)? { open.first.map { ($0.save, $0.sender) } }

    /// Records the outcome of ``next``.
    mutating func resolveNext(isCommitted: Bool) {
        let first = open.removeFirst()
        if isCommitted, first.isAwaited { committed.insert(first.save.identifier) }
    }

    /// Whether a resolved save was committed.
    func isCommitted(_ identifier: UUID) -> Bool { committed.contains(identifier) }

    /// Drops a save whose context no longer needs the outcome. An unresolved save is still
    /// resolved, for the other contexts.
    mutating func forget(_ identifier: UUID) {
        committed.remove(identifier)
        for index in open.indices where open[index].save.identifier == identifier {
            open[index].isAwaited = false
        }
    }
}
