import DuramenModel

/// The live lists of a context, and what is noted for them until they are told.
final class ContextLists {
    private struct Member {
        weak var list: TrackedList?
    }

    private var members: [Member] = []
    private var noted = NotedForLists()

    var isEmpty: Bool { members.isEmpty }

    func add(_ list: TrackedList) {
        members.removeAll { $0.list == nil || $0.list === list }
        members.append(Member(list: list))
    }

    /// Notes something that only lists want to know.
    func note(_ body: (inout NotedForLists) -> Void) {
        if !members.isEmpty { body(&noted) }
    }

    /// Hands what happened to the lists, as it is now. Call ``update()`` when the application's code may run.
    func take(
        _ changed: [ManagedObject: ContextEvents.Before], _ refreshed: Set<ManagedObject>,
        in context: ManagedObjectContext
    ) {
        if members.isEmpty || noted.isEmpty && changed.isEmpty && refreshed.isEmpty { return }
        members.removeAll { $0.list == nil }
        let noted = noted
        self.noted = NotedForLists()
        context.nameNewObjects()
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
        let new = parts.flatMap { $0.inserted.filter { $0.key < 0 && $0.isInserted } }
        if !new.isEmpty { try? obtainPermanentIDs(for: new) }
    }
}
