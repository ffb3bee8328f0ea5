import DuramenModel

// A context has one owner in its life. The compiler ties the context's region to the isolation of
// the first call, so the context cannot be sent elsewhere afterwards. Cases that the compiler
// cannot see are checked here.
extension ManagedObjectContext {
    /// Makes an actor the owner of this context. From then on, the context is used in the actor's
    /// isolation, and merges other contexts' saves there while it is idle.
    ///
    /// Call it in the actor's initialiser, as `context.attach(to: self)`. The context references
    /// the actor weakly. Without this call, the first `fetch`, `save` or similar call in a method
    /// of the actor has the same effect. To move a context to another isolation, send it before its
    /// first use and attach it there.
    ///
    /// - Precondition: The context has no owner yet, or already has this owner.
    public func attach(to owner: any Actor) {
        if let known = ownerInFamily {
            if known.id != ObjectIdentifier(owner) { failWithOtherOwner(owner, known) }
        } else {
            adopt(owner)
        }
    }

    private func adopt(_ owner: any Actor) {
        // A child ends its units of work with the context at the top.
        if let parent { return parent.adopt(owner) }
        ownership.owner = ContextOwner(owner)
        for part in parts { part.inbox.setOwner(owner) }
    }

    /// Begins a call from an isolation. The first such call makes the isolation the owner.
    ///
    /// - Parameter isolation: Nil in a closure of `perform`, and in functions that are not
    ///   isolated.
    @inline(__always)
    func enter(_ isolation: (any Actor)?) {
        if let isolation, ownership.owner?.id == ObjectIdentifier(isolation) { return }
        enterFirst(isolation)
    }

    @inline(never)
    private func enterFirst(_ isolation: (any Actor)?) {
        guard let isolation else { return requireOwner() }
        attach(to: isolation)
        ownership.owner = ownerInFamily
    }

    /// The owner of this context: its own if it has a background context's actor, otherwise its
    /// parent's.
    var ownerInFamily: ContextOwner? { ownership.owner ?? parent?.ownerInFamily }

    private func failWithOtherOwner(_ other: any Actor, _ owner: ContextOwner) -> Never {
        fatalError(
            "Duramen: the context '\(name ?? "unnamed")' belongs to \(owner.name) and was used in the "
                + "isolation of \(ContextOwner.name(of: type(of: other))). A context has one owner in its life: "
                + "send it before its first use, and attach it where it arrives.")
    }
}
