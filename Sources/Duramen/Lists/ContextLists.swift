import DuramenModel

/// The live lists of a context, and changes recorded for them until they are notified.
final class ContextLists {
    private struct Member {
        weak var list: TrackedList?
    }

    private var members: [Member] = []
    private var noted = PendingListChanges()
    /// Grows with each event after which rows of lists may be older than the objects.
    private(set) var time = 0

    var isEmpty: Bool { members.isEmpty }

    func add(_ list: TrackedList) {
        members.removeAll { $0.list == nil || $0.list === list }
        members.append(Member(list: list))
    }

    /// Records a change that only lists need.
    func record(_ body: (inout PendingListChanges) -> Void) {
        time += 1
        if !members.isEmpty { body(&noted) }
    }

    /// Passes the changes so far to the lists. Call ``update()`` when application code may run.
    func take(
        _ changed: [ManagedObject: ContextEvents.Before], _ refreshed: Set<ManagedObject>,
        in context: ManagedObjectContext
    ) {
        if noted.isEmpty && changed.isEmpty && refreshed.isEmpty { return }
        time += 1
        members.removeAll { $0.list == nil }
        let noted = noted
        self.noted = PendingListChanges()
        if members.isEmpty { return }
        if !noted.ids.isEmpty || changed.contains(where: \.value.isNew) {
            context.nameNewObjects()
        }
        for member in members { member.list?.take(noted, changed, refreshed) }
    }

    /// Updates the lists.
    func update() {
        for member in members { member.list?.update() }
    }
}

extension ManagedObjectContext {
    /// Gives new objects their permanent IDs, so that lists can identify them before and after the
    /// save.
    ///
    /// If that fails, they keep temporary IDs, and lists see the saved objects as different
    /// objects.
    func nameNewObjects() {
        let new = parts.flatMap { $0.tracker.inserted.filter { $0.key < 0 } }
        if !new.isEmpty { try? obtainPermanentIDs(for: new) }
        // New objects of a parent are listed here too.
        parent?.nameNewObjects()
    }

    /// Whether there are new objects without permanent IDs, here or in an ancestor.
    var hasUnnamedObjects: Bool {
        parts.contains { $0.tracker.inserted.contains { $0.key < 0 } }
            || parent?.hasUnnamedObjects == true
    }
}
