import DuramenModel

// A child reads from another context what that has, unsaved changes included, and saves into it. To
// a child its parent is what a store is to other contexts.
extension ManagedObjectContext {
    /// Makes a context that reads from another one and saves into it: a scratch pad whose changes
    /// can be dropped as a whole.
    ///
    /// ```swift
    /// let sheet = ManagedObjectContext(parent: container.viewContext)
    /// try sheet.existingObject(with: quake.objectID, as: Quake.self).note = "felt in Kyoto"
    /// try sheet.save()  // the view context has the change now, not yet saved
    /// ```
    ///
    /// The child belongs to the isolation of its parent, and keeps it alive. There may be children
    /// of children.
    ///
    /// - It shows what its parent has: unsaved changes, without deleted objects, new objects under
    ///   their temporary IDs. Fetches and faults see the parent as it is at that moment. Values
    ///   that the child has already stay, and between units of work all of them follow the
    ///   parent's, with the child's own edits on top; with ``automaticallyMergesChangesFromParent``
    ///   off, only those that are refreshed.
    /// - ``save(isolation:)`` moves changes one level up. They are the parent's unsaved changes
    ///   then, and new objects keep their temporary IDs until the context at the top saves; the
    ///   permanent ones reach all children at once. Values of transient attributes go up too, but
    ///   do not come down.
    /// - Where both have edited a property, the child's value goes, and what the parent alone has
    ///   edited stays. Ordered to-manys are merged. A deletion goes before edits of the parent. An
    ///   object that the child has edited, or newly refers to, and that the parent has deleted
    ///   makes the save throw ``SaveConflictError``, with nothing moved; roll the child back or
    ///   refresh the object.
    /// - Objects are validated by the child's save and again by the parent's. Unique values are
    ///   compared by stores only; ``uniquenessConflicts()`` looks before.
    ///
    /// - Parameters:
    ///   - parent: The context to read from and save to.
    ///   - options: How the child is set up. The parent's author is taken when they name none.
    public convenience init(
        parent: ManagedObjectContext, options: ContextOptions = ContextOptions()
    ) {
        parent.noticeStores()
        self.init(childOf: parent, options: options)
    }
}

extension ContextPart {
    /// The counterpart of this part that reads from its store; itself without a parent.
    var topPart: ContextPart {
        var top = self
        while let parent = top.parentPart { top = parent }
        return top
    }

    // MARK: - Family

    /// Takes over what a parent knows of IDs, and is told of its changes from now on.
    func joinFamily(of parent: ContextPart) {
        identity.takeOver(parent.identity.permanentKeys)
        parent.children.append(ChildReference(part: self))
        // The child hears of saves through its parent.
        parent.subscribe()
        ledger.beginListening()
    }

    /// Whether there are children, which is asked on frequent steps.
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

    /// Makes sure that the unit of work ends soon, if there is an owner.
    func scheduleEndOfUnit() {
        if let parentPart { return parentPart.scheduleEndOfUnit() }
        if !withContext({ $0.ownership.isPerforming }) { inbox.scheduleEndOfUnit() }
    }
}

/// The part of a child as the parent's part knows it, without keeping it alive.
///
/// What is referenced weakly has its references counted more slowly; here that concerns children
/// only.
struct ChildReference {
    private weak var part: ContextPart?

    init(part: ContextPart) { self.part = part }

    /// The part; nil when its context is gone.
    var livePart: ContextPart? {
        guard let part, !part.hasEnded else { return nil }
        return part
    }
}
