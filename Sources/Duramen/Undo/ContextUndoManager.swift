/// An undo manager for contexts. It works like Foundation's `UndoManager`, also on platforms
/// without it, but for one isolation and with errors instead of exceptions.
///
/// ```swift
/// let undoManager = ContextUndoManager()
/// context.undoManager = undoManager
/// quake.magnitude = 6.1
/// try context.undo()
/// ```
///
/// - The changes of an event are one step. An event ends with a unit of work,
///   `processPendingChanges()`, a save, or a call of this manager that depends on the order of
///   steps. With ``groupsByEvent``, everything registered in an event is one group, which
///   ``undo()`` reverts as a whole.
/// - ``beginUndoGrouping()`` and ``endUndoGrouping()`` make a group of several events. Unlike in
///   Foundation, the outermost such group is not part of the event's group.
/// - Groups without changes are dropped. A new change clears the redo stack.
/// - ``registerUndo(withTarget:handler:)`` adds actions of the application.
///
/// One manager can serve several contexts of its isolation. ``ManagedObjectContext/undoManager``
/// describes what a context records.
public final class ContextUndoManager: UndoManaging {
    /// Whether everything registered in an event, outside of other groups, is one group. If false,
    /// each registration is its own group: the changes of a context, and every action of the
    /// application.
    public var groupsByEvent = true
    /// The number of groups that can be undone; the oldest are dropped. 0, the default, means no
    /// limit.
    public var levelsOfUndo: Int { didSet { dropOldest() } }
    /// Whether an undo is in progress.
    public private(set) var isUndoing = false
    /// Whether a redo is in progress.
    public private(set) var isRedoing = false

    private var undoGroups: [UndoGroup] = []
    private var redoGroups: [UndoGroup] = []
    /// The groups that are open, outermost first.
    private var openGroups: [UndoGroup] = []
    /// Whether the open group is the event's group.
    private var isEventGroupOpen = false
    /// The name of the next group in this event.
    private var nextName: String?
    private var disablings = 0
    private var recorders: [RecorderReference] = []
    private var isCollecting = false

    /// Creates a manager without steps.
    ///
    /// - Parameter levelsOfUndo: The number of groups that can be undone; 0 for no limit.
    public init(levelsOfUndo: Int = 0) { self.levelsOfUndo = levelsOfUndo }

    // MARK: - Groups

    /// The number of open groups.
    public var groupingLevel: Int { openGroups.count }

    /// Begins a group, which may be nested in another group. Earlier changes are not part of it.
    public func beginUndoGrouping() {
        endEvent()
        openGroups.append(UndoGroup())
    }

    /// Ends the group that was begun last.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` if no group is open.
    public func endUndoGrouping() throws {
        endEvent()
        let outermost = isUndoing || isRedoing ? 1 : 0
        guard openGroups.count > outermost, let group = openGroups.popLast() else {
            throw ContextError(
                .unbalancedUndo,
                "No undo group is open. Call endUndoGrouping() once for each beginUndoGrouping().")
        }
        close(group)
    }

    private func close(_ group: UndoGroup) {
        if group.isEmpty { return }
        if let outer = openGroups.last { return outer.append(group) }
        undoGroups.append(group)
        dropOldest()
    }

    private func dropOldest() {
        guard levelsOfUndo > 0 else { return }
        undoGroups.removeFirst(max(0, undoGroups.count - levelsOfUndo))
        redoGroups.removeFirst(max(0, redoGroups.count - levelsOfUndo))
    }

    /// Lets contexts register their changes so far, and ends the event's group.
    func endEvent() {
        collectChanges()
        closeEventGroup()
        if openGroups.isEmpty { nextName = nil }
    }

    private func closeEventGroup() {
        guard isEventGroupOpen, let group = openGroups.popLast() else { return }
        isEventGroupOpen = false
        close(group)
    }

    private func collectChanges() {
        if isCollecting { return }
        isCollecting = true
        defer { isCollecting = false }
        recorders.removeAll { $0.recorder == nil }
        for reference in recorders { reference.recorder?.registerChanges() }
    }

    private var hasUncollectedChanges: Bool {
        recorders.contains { $0.recorder?.hasChanges == true }
    }

    /// Adds a recorder, which registers its changes when the order of steps matters.
    func attach(_ recorder: UndoRecorder) {
        recorders.append(RecorderReference(recorder: recorder))
    }

    // MARK: - Registration

    /// Whether registrations are recorded.
    public var isUndoRegistrationEnabled: Bool { disablings == 0 }

    /// Disables the registration of changes until ``enableUndoRegistration()`` was called as often
    /// as this method.
    ///
    /// Earlier changes are registered, later ones are not. Unlike in Core Data, no call of
    /// `processPendingChanges()` is needed around it.
    public func disableUndoRegistration() {
        collectChanges()
        disablings += 1
    }

    /// Reverses one call of ``disableUndoRegistration()``.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` if registration is enabled.
    public func enableUndoRegistration() throws {
        guard disablings > 0 else {
            throw ContextError(
                .unbalancedUndo,
                "Undo registration is enabled already. Call enableUndoRegistration() once for each "
                    + "disableUndoRegistration().")
        }
        // The effects of delete rules on objects deleted meanwhile are not registered either.
        collectChanges()
        disablings -= 1
    }

    /// Runs a closure whose changes cannot be undone.
    public func withoutUndoRegistration<Result>(
        _ body: () throws -> Result
    ) rethrows -> Result {
        disableUndoRegistration()
        defer {
            collectChanges()
            disablings = max(0, disablings - 1)
        }
        return try body()
    }

    /// Registers a closure that reverts a change of the application. Changes registered while it
    /// runs are for redo.
    ///
    /// The target is not retained; after its release, the closure is not called.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) throws -> Void
    ) {
        // Earlier changes are undone after this one.
        collectChanges()
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            openGroups = [UndoGroup(name: nextName ?? "")]
            nextName = nil
            isEventGroupOpen = true
        }
        openGroups[openGroups.count - 1].append(UndoAction(target, handler))
        if !isUndoing, !isRedoing { redoGroups = [] }
        if !groupsByEvent { closeEventGroup() }
    }

    /// Removes everything that is registered. Open groups stay open.
    public func removeAllActions() {
        undoGroups = []
        redoGroups = []
        for group in openGroups { group.removeAll() }
        for reference in recorders { reference.recorder?.forgetChanges() }
        nextName = nil
    }

    /// Removes everything that is registered for a target.
    public func removeAllActions(withTarget target: AnyObject) {
        for group in undoGroups + redoGroups + openGroups { group.remove(target: target) }
        undoGroups.removeAll(where: \.isEmpty)
        redoGroups.removeAll(where: \.isEmpty)
    }

    // MARK: - Names

    /// Sets a menu name for the changes of the outermost open group, or otherwise of this event.
    public func setActionName(_ name: String) {
        if let group = openGroups.first { group.name = name } else { nextName = name }
    }

    /// The name of the action that ``undo()`` would revert; empty if it has none.
    public var undoActionName: String {
        if let open = openGroups.first, !open.isEmpty || hasUncollectedChanges { return open.name }
        return hasUncollectedChanges ? nextName ?? "" : undoGroups.last?.name ?? ""
    }

    /// The name of the action that ``redo()`` would redo; empty if it has none.
    public var redoActionName: String { canRedo ? redoGroups.last?.name ?? "" : "" }

    // MARK: - Undoing

    /// Whether there is something to undo.
    public var canUndo: Bool {
        !undoGroups.isEmpty || openGroups.contains { !$0.isEmpty } || hasUncollectedChanges
    }

    /// Whether there is something to redo.
    public var canRedo: Bool { !redoGroups.isEmpty && !hasUncollectedChanges }

    /// Undoes the last group of changes. Does nothing if there is none.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` while a group is open, the error of loading a
    ///   needed object, or an error of an action. The changes undone so far are then redone, and
    ///   the group stays.
    public func undo() throws {
        endEvent()
        try requireNoOpenGroup("undo()")
        guard let group = undoGroups.popLast() else { return }
        try run(group, \.isUndoing, inverseTo: \.redoGroups) { undoGroups.append(group) }
    }

    /// Redoes the changes that were undone last. Does nothing after a new change.
    ///
    /// - Throws: The errors of ``undo()``.
    public func redo() throws {
        endEvent()
        try requireNoOpenGroup("redo()")
        guard let group = redoGroups.popLast() else { return }
        try run(group, \.isRedoing, inverseTo: \.undoGroups) { redoGroups.append(group) }
    }

    /// Undoes the last closed group within the open one. Without an open group it undoes the last
    /// nested group of the last group, or that whole group if it has no nested groups. ``redo()``
    /// redoes it as its own group.
    ///
    /// - Throws: The errors of ``undo()``, except for open groups.
    public func undoNestedGroup() throws {
        endEvent()
        if isUndoing || isRedoing { try requireNoOpenGroup("undoNestedGroup()") }
        guard let outer = openGroups.last ?? undoGroups.last else { return }
        guard let group = outer.popGroup() else {
            if openGroups.isEmpty { try undo() }
            return
        }
        try run(group, \.isUndoing, inverseTo: \.redoGroups) { outer.append(group) }
        if openGroups.isEmpty, outer.isEmpty { undoGroups.removeLast() }
    }

    /// Runs a group while a flag is set, and keeps the group that reverts it. Restores the group if
    /// it fails.
    private func run(
        _ group: UndoGroup, _ flag: ReferenceWritableKeyPath<ContextUndoManager, Bool>,
        inverseTo groups: ReferenceWritableKeyPath<ContextUndoManager, [UndoGroup]>,
        orElse giveBack: () -> Void
    ) throws {
        self[keyPath: flag] = true
        defer { self[keyPath: flag] = false }
        do {
            let inverse = try run(group)
            if !inverse.isEmpty { self[keyPath: groups].append(inverse) }
        } catch {
            giveBack()
            throw error
        }
    }

    private func requireNoOpenGroup(_ name: String) throws {
        if openGroups.isEmpty { return }
        throw ContextError(
            .unbalancedUndo,
            isUndoing || isRedoing
                ? "\(name) was called while changes are taken back. Leave it to the call under way."
                : "\(openGroups.count) undo groups are open. Call endUndoGrouping() for each before "
                    + "\(name).")
    }

    /// Runs a group.
    ///
    /// - Returns: The group that reverts it.
    private func run(_ group: UndoGroup) throws -> UndoGroup {
        let inverse = UndoGroup(name: group.name)
        let outer = openGroups
        openGroups = [inverse]
        defer { openGroups = outer }
        do {
            try group.run(afterEach: collectChanges)
        } catch {
            collectChanges()
            openGroups = [UndoGroup()]
            // The first error is the one to report.
            try? inverse.run(afterEach: collectChanges)
            throw error
        }
        // Groups that an action left open end with it.
        while openGroups.count > 1, let open = openGroups.popLast() { close(open) }
        return inverse
    }
}

@available(*, unavailable, message: "an undo manager belongs to the isolation of its contexts")
extension ContextUndoManager: Sendable {}

private struct RecorderReference {
    weak var recorder: UndoRecorder?
}
