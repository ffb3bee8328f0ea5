/// Undoes and redoes changes of contexts. It is like Foundation's `UndoManager`, also where
/// Foundation has none, but for one isolation and with errors instead of exceptions.
///
/// ```swift
/// let undoManager = ContextUndoManager()
/// context.undoManager = undoManager
/// quake.magnitude = 6.1
/// try context.undo()
/// ```
///
/// - What changes in an event is one step: until the end of a unit of work,
///   `processPendingChanges()`, a save, or a call of this manager that needs the steps in their
///   order. With ``groupsByEvent`` all that is registered in an event is a group, which ``undo()``
///   takes back as one.
/// - ``beginUndoGrouping()`` and ``endUndoGrouping()`` make a group of several events. Ours: the
///   outermost one is a group of its own; Foundation puts it into that of the event.
/// - A group without a change is none. A new change forgets what could be made again.
/// - ``registerUndo(withTarget:handler:)`` adds actions of the application.
///
/// It may serve several contexts of its isolation. What a context records, and what becomes of it,
/// says ``ManagedObjectContext/undoManager``.
public final class ContextUndoManager: UndoManaging {
    /// Whether all that is registered in an event outside of other groups is one group. Without,
    /// each registration is: the changes of a context, and every action of the application.
    public var groupsByEvent = true
    /// How many groups can be taken back; the oldest are forgotten. Without limit when 0, as by
    /// default.
    public var levelsOfUndo: Int { didSet { dropOldest() } }
    /// Whether changes are being taken back.
    public private(set) var isUndoing = false
    /// Whether changes are being made again.
    public private(set) var isRedoing = false

    private var undoGroups: [UndoGroup] = []
    private var redoGroups: [UndoGroup] = []
    /// The groups that are open, outermost first.
    private var openGroups: [UndoGroup] = []
    /// Whether the open group is that of the event.
    private var isEventGroupOpen = false
    /// The name of the group that is made next in this event.
    private var nextName: String?
    private var disablings = 0
    private var recorders: [RecorderReference] = []
    private var isCollecting = false

    /// Makes a manager with nothing to take back.
    ///
    /// - Parameter levelsOfUndo: How many groups can be taken back; 0 for no limit.
    public init(levelsOfUndo: Int = 0) { self.levelsOfUndo = levelsOfUndo }

    // MARK: - Groups

    /// How many groups are open.
    public var groupingLevel: Int { openGroups.count }

    /// Begins a group, which may be nested in another one. Earlier changes are not part of it.
    public func beginUndoGrouping() {
        endEvent()
        openGroups.append(UndoGroup())
    }

    /// Ends the group that was begun last.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` when none is open.
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

    /// Has contexts register what changed so far, and ends the group of the event.
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

    /// Has a recorder register its changes when the order of steps counts.
    func attach(_ recorder: UndoRecorder) {
        recorders.append(RecorderReference(recorder: recorder))
    }

    // MARK: - Registration

    /// Whether what is registered is kept.
    public var isUndoRegistrationEnabled: Bool { disablings == 0 }

    /// Stops the registration of changes until ``enableUndoRegistration()`` was called as often as
    /// this method.
    ///
    /// What changed before is registered, and what changes from now on is not: unlike in Core Data
    /// no call of `processPendingChanges()` is needed around it.
    public func disableUndoRegistration() {
        collectChanges()
        disablings += 1
    }

    /// Reverses one call of ``disableUndoRegistration()``.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` when registration is enabled.
    public func enableUndoRegistration() throws {
        guard disablings > 0 else {
            throw ContextError(
                .unbalancedUndo,
                "Undo registration is enabled already. Call enableUndoRegistration() once for each "
                    + "disableUndoRegistration().")
        }
        // The delete rules of what was deleted meanwhile are not registered either.
        collectChanges()
        disablings -= 1
    }

    /// Runs a closure whose changes cannot be taken back.
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
    /// The target is not kept alive; without it there is nothing to do.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) throws -> Void
    ) {
        // What changed before is taken back after it.
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

    /// Forgets everything that is registered. Open groups stay open.
    public func removeAllActions() {
        undoGroups = []
        redoGroups = []
        for group in openGroups { group.removeAll() }
        for reference in recorders { reference.recorder?.forgetChanges() }
        nextName = nil
    }

    /// Forgets what is registered for a target.
    public func removeAllActions(withTarget target: AnyObject) {
        for group in undoGroups + redoGroups + openGroups { group.remove(target: target) }
        undoGroups.removeAll(where: \.isEmpty)
        redoGroups.removeAll(where: \.isEmpty)
    }

    // MARK: - Names

    /// Names the changes of the outermost open group, or else those of this event, for a menu.
    public func setActionName(_ name: String) {
        if let group = openGroups.first { group.name = name } else { nextName = name }
    }

    /// The name of the action that ``undo()`` would revert; empty when it has none.
    public var undoActionName: String {
        if let open = openGroups.first, !open.isEmpty || hasUncollectedChanges { return open.name }
        return hasUncollectedChanges ? nextName ?? "" : undoGroups.last?.name ?? ""
    }

    /// The name of the action that ``redo()`` would redo; empty when it has none.
    public var redoActionName: String { canRedo ? redoGroups.last?.name ?? "" : "" }

    // MARK: - Undoing

    /// Whether there is something to take back.
    public var canUndo: Bool {
        !undoGroups.isEmpty || openGroups.contains { !$0.isEmpty } || hasUncollectedChanges
    }

    /// Whether there is something to make again.
    public var canRedo: Bool { !redoGroups.isEmpty && !hasUncollectedChanges }

    /// Undoes the last group of changes. Does nothing when there is none.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` while a group is open; why something that is
    ///   needed for it cannot be read; what an action throws. What was taken back before is made
    ///   again then, and the group stays.
    public func undo() throws {
        endEvent()
        try requireNoOpenGroup("undo()")
        guard let group = undoGroups.popLast() else { return }
        try run(group, \.isUndoing, inverseTo: \.redoGroups) { undoGroups.append(group) }
    }

    /// Makes the changes again that were taken back last; does nothing when something changed
    /// since.
    ///
    /// - Throws: As ``undo()``.
    public func redo() throws {
        endEvent()
        try requireNoOpenGroup("redo()")
        guard let group = redoGroups.popLast() else { return }
        try run(group, \.isRedoing, inverseTo: \.undoGroups) { redoGroups.append(group) }
    }

    /// Undoes the last closed group within the open one. Without an open group it undoes the last
    /// nested group of the last group, or that whole group if nothing is nested in it. ``redo()``
    /// redoes it as a group of its own.
    ///
    /// - Throws: As ``undo()``, but for open groups.
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

    /// Runs a group while a flag is set, and keeps what takes it back; gives the group back when it
    /// fails.
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
    /// - Returns: What takes it back.
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
            // The first error is the one to be told.
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
