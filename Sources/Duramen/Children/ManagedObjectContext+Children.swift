import DuramenModel

// A child loads objects from its parent context, unsaved changes included, and saves into it. The
// parent is to the child what a store is to other contexts.
extension ManagedObjectContext {
    /// Creates a context that loads from another context and saves into it: a scratch pad whose
    /// changes can be discarded as a whole.
    ///
    /// ```swift
    /// let sheet = ManagedObjectContext(parent: container.viewContext)
    /// try sheet.existingObject(with: quake.objectID, as: Quake.self).note = "felt in Kyoto"
    /// try sheet.save()  // the view context has the change now, not yet saved
    /// ```
    ///
    /// The child belongs to the isolation of its parent and retains the parent. A child can have
    /// children of its own.
    ///
    /// - Loading: The child sees the parent's unsaved changes, without deleted objects and with new
    ///   objects under their temporary IDs. Fetches and faults load the parent's present state.
    ///   Between units of work, loaded values are updated from the parent, and the child's own
    ///   edits are applied on top. With ``automaticallyMergesChangesFromParent`` off, only
    ///   refreshed objects are updated.
    /// - Saving: ``save(isolation:)`` moves changes one level up, where they are unsaved changes of
    ///   the parent. New objects keep their temporary IDs until the context at the top saves. All
    ///   children then get the permanent IDs at once. Values of transient attributes are moved up,
    ///   but never down.
    /// - Merging: If both have edited a property, the child's value wins; other edits of the parent
    ///   stay. Ordered to-manys are merged. A deletion wins over edits of the parent. If the parent
    ///   has deleted an object that the child edited or newly refers to, the save throws
    ///   ``SaveConflictError`` and moves nothing. Then roll back the child or refresh the object.
    /// - Validation: Objects are validated by the child's save and again by the parent's. Only
    ///   stores compare unique values; call ``uniquenessConflicts()`` to check them earlier.
    ///
    /// - Parameters:
    ///   - parent: The context to load from and save to.
    ///   - options: The settings of the child. Without an author, the child uses the parent's.
    public convenience init(
        parent: ManagedObjectContext, options: ContextOptions = ContextOptions()
    ) {
        parent.noticeStores()
        self.init(childOf: parent, options: options)
    }
}

extension ContextPart {
    /// The part of the top context for the same store; the part itself if it has no parent.
    var topPart: ContextPart {
        var top = self
        while let parent = top.parentPart { top = parent }
        return top
    }

    // MARK: - Family

    /// Adopts the permanent keys that a parent knows, and registers for its changes.
    func joinFamily(of parent: ContextPart) {
        identity.takeOver(parent.identity.permanentKeys)
        parent.children.append(ChildReference(part: self))
        // The child learns of saves through its parent.
        parent.subscribe()
        ledger.beginListening()
    }

    /// Whether there are children. Frequent operations ask this.
    @inline(__always)
    var hasChildren: Bool { !children.isEmpty && hasLivingChildren }

    private var hasLivingChildren: Bool {
        children.removeAll { $0.livePart == nil }
        return !children.isEmpty
    }

    @inline(__always)
    func forEachChild(_ body: (ContextPart) throws -> Void) rethrows {
        if children.isEmpty { return }
        for child in children { if let part = child.livePart { try body(part) } }
    }

    /// Schedules the end of the unit of work, if the context has an owner.
    func scheduleEndOfUnit() {
        if let parentPart { return parentPart.scheduleEndOfUnit() }
        if !withContext({ $0.ownership.isPerforming }) { inbox.scheduleEndOfUnit() }
    }
}

/// A weak reference from a part to the part of a child.
///
/// Reference counting of a weakly referenced object is slower; here that affects children only.
struct ChildReference {
    private weak var part: ContextPart?

    init(part: ContextPart) { self.part = part }

    /// The part; nil after its context is gone.
    var livePart: ContextPart? {
        guard let part, !part.hasEnded else { return nil }
        return part
    }
}
