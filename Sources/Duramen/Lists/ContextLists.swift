import DuramenModel

/// The live lists of a context, and what is noted for them until they are told.
final class ContextLists {
    private struct Member {
        weak var list: TrackedList?
    }

    private var members: [Member] = []
    private var noted = PendingListChanges()
    /// Grows with whatever may make rows of lists older than what objects have.
    private(set) var time = 0

    var isEmpty: Bool { members.isEmpty }

    func add(_ list: TrackedList) {
        members.removeAll { $0.list == nil || $0.list === list }
        members.append(Member(list: list))
    }

    /// Notes something that only lists want to know.
    func record(_ body: (inout PendingListChanges) -> Void) {
        time += 1
        if !members.isEmpty { body(&noted) }
    }

    /// Hands what happened to the lists, as it is now. Call ``update()`` when the application's
    /// code may run.
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

    /// Brings the lists up to date.
    func update() {
        for member in members { member.list?.update() }
    }
}

extension ManagedObjectContext {
    /// Gives new objects their permanent IDs, so that in lists they are what they will be.
    ///
    /// Where that fails they keep temporary ones, and are others to the list once they are saved.
    func nameNewObjects() {
        let new = parts.flatMap { $0.tracker.inserted.filter { $0.key < 0 } }
        if !new.isEmpty { try? obtainPermanentIDs(for: new) }
        // New objects of a parent are listed here too.
        parent?.nameNewObjects()
    }

    /// Whether there are new objects without permanent IDs, here or in a parent.
    var hasUnnamedObjects: Bool {
        parts.contains { $0.tracker.inserted.contains { $0.key < 0 } }
            || parent?.hasUnnamedObjects == true
    }
}
