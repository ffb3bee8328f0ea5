import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Names the actor that uses this context from now on, so that saves of other contexts reach it
    /// while it is idle.
    ///
    /// Call it in the actor's initialiser, as `context.attach(to: self)`. The context holds the actor
    /// weakly. Without it, the first `fetch` or `save` in a method of the actor has the same effect.
    public func attach(to owner: any Actor) { inbox.setOwner(owner) }

    /// Takes the owner from where the context is used, the first time.
    @inline(__always)
    func adoptOwner(_ isolation: (any Actor)?) {
        guard !hasOwner, let isolation else { return }
        hasOwner = true
        if !inbox.hasOwner { inbox.setOwner(isolation) }
    }

    /// Begins a unit of work that ends with ``endUnitOfWork()``.
    func beginUnitOfWork() {
        drainInbox()
        isPerforming = true
    }

    /// Ends a unit of work: merges what other contexts saved, and lets go of what is no longer needed.
    func endUnitOfWork() {
        isPerforming = false
        drainInbox()
        snapshot = nil
        unlinkBlocks()
        for table in tables where table.registeredSinceSweep > 0 {
            table.sweep(limit: table.registeredSinceSweep * 2)
        }
    }

    /// Merges what other contexts saved since the last unit of work.
    func drainInbox() {
        for changes in inbox.take() { merge(changes) }
    }

    private func merge(_ changes: SavedChanges) {
        for row in changes.inserts { mergeReferences(from: nil, to: row) }
        for update in changes.updates {
            mergeReferences(from: update.base, to: update.row)
            merge(update.row)
        }
        for row in changes.deletes {
            mergeReferences(from: row, to: nil)
            mergeDeletion(of: row)
        }
        for change in changes.edges { merge(change) }
    }

    /// Gives a registered object newer values.
    private func merge(_ new: Row) {
        let plan = plans[new.entityID.index]
        guard let object = plan.table.find(new.key), let row = object.row,
            object.flags.isDisjoint(with: [.deleted, .gone])
        else { return }
        let newWords = UnsafeMutableRawPointer(mutating: new.unsafeWords)
        guard let base = object.extra?.base else {
            object.realize(storage: new.storage, words: newWords)
            return
        }
        let kinds = plan.entity.layout.kinds
        let edited = object.editedSlots
        let isClash = edited.slots.contains { !new.hasSameValue($0, kinds[$0], as: base) }
        // Edited on both sides: the object keeps its base, so that its save reports the conflict.
        if isClash { return }
        var mine = arena.copy(new, layout: plan.entity.layout)
        for slot in edited.slots {
            arena.copyValue(of: slot, from: row, to: &mine, layout: plan.entity.layout)
        }
        object.extra?.base = new
        object.adopt(mine)
    }

    /// Marks an object that another context deleted.
    private func mergeDeletion(of row: Row) {
        guard let object = plans[row.entityID.index].table.find(row.key) else { return }
        if object.flags.contains(.deleted) || object.isUpdated {
            // Changed or deleted on both sides: the next save reports the conflict.
            return
        }
        object.flags.insert(.deletedElsewhere)
        deleted.append(object)
    }

    /// Tells the known to-manys at the other end of an object's to-ones.
    private func mergeReferences(from old: Row?, to new: Row?) {
        guard let entity = (new ?? old)?.entityID else { return }
        let plan = plans[entity.index]
        for reference in plan.toOnes {
            guard case .inverseOfToOne(let index) = reference.inverse.storage else { continue }
            let before = old?.destination(
                of: reference.relationship, in: model, store: store.handle)
            let after = new?.destination(
                of: reference.relationship, in: model, store: store.handle)
            if before == after { continue }
            guard let id = (new ?? old)?.objectID(in: model, store: store.handle) else { continue }
            mergeMember(id, of: before, at: index, isAdded: false)
            mergeMember(id, of: after, at: index, isAdded: true)
        }
    }

    private func merge(_ change: EdgeChange) {
        let relationship = model[change.relationship]
        guard let index = relationship.storage.toManyIndex,
            let back = model[relationship.inverse].storage.toManyIndex
        else { return }
        for (pairs, isAdded) in [(change.added, true), (change.removed, false)] {
            for pair in pairs {
                mergeMember(pair.destination, of: pair.source, at: index, isAdded: isAdded)
                mergeMember(pair.source, of: pair.destination, at: back, isAdded: isAdded)
            }
        }
    }

    private func mergeMember(
        _ id: ManagedObjectID, of owner: ManagedObjectID?, at index: Int, isAdded: Bool
    ) {
        guard let owner, let object = registeredObject(for: owner), let extra = object.extra,
            !extra.toManys.isEmpty
        else { return }
        extra.toManys[index]?.merge(id, isAdded: isAdded)
    }
}
