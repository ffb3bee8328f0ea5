import DuramenModel
import DuramenStore
import Foundation

/// The saves of a coordinator's contexts that nobody knows the outcome of, and the outcomes found out since.
///
/// Whoever saves next finds out, for all: what was committed is news to every other context, and a save
/// must know of deletions that came before it.
struct UnknownSaves: Sendable {
    private var open: [(save: UnknownSave, sender: Inbox)] = []
    private var committed: Set<UUID> = []

    mutating func add(_ save: UnknownSave, from sender: Inbox) { open.append((save, sender)) }

    /// The oldest that is still to be found out.
    var next: (save: UnknownSave, sender: Inbox)? { open.first }

    /// Notes an outcome.
    mutating func resolve(_ identifier: UUID, isCommitted: Bool) {
        open.removeAll { $0.save.identifier == identifier }
        if isCommitted { committed.insert(identifier) }
    }

    /// Whether a save that was found out was committed.
    func isCommitted(_ identifier: UUID) -> Bool { committed.contains(identifier) }

    /// Forgets a save that its context knows the outcome of. One that is still open stays: others are to be told.
    mutating func forget(_ identifier: UUID) { committed.remove(identifier) }
}
