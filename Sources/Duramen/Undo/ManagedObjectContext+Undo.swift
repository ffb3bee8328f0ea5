import DuramenModel

extension ManagedObjectContext {
    /// The undo manager for changes of this context. Nil, as by default, turns undo off.
    ///
    /// The changes of an event are one step: those between two ends of a unit of work, calls of
    /// ``processPendingChanges()`` or saves. Inserted, deleted and edited objects are put back as
    /// they were before it, with their attributes, transient ones too, their relationships and the
    /// order of their to-manys. Taking a step back is a change like others: it is to be saved, and
    /// it calls ``ManagedObject/awake(fromSnapshotEvents:)``.
    ///
    /// - A save does not concern the steps. What was saved is taken back by a new, unsaved change:
    ///   a new object is deleted, a deleted one is inserted again. Ours: that is the same object
    ///   with the same ID.
    /// - What a `deny` or `noAction` rule lets lead to a deleted object leads nowhere once the
    ///   deletion is saved, until that is taken back too.
    /// - Only properties that the step changed get their old values. What others saved meanwhile
    ///   stays in all other properties; in these the old value is an edit on top of it. Objects
    ///   that others deleted stay deleted, and no relationship leads to them again.
    /// - ``rollback()`` and ``reset()`` forget all steps, and so does the removal of a store.
    /// - No step are: what merging, refreshing and merge policies do, primitive values, what hooks
    ///   that awake an object change, and what is changed while registration is disabled.
    /// - The delete rules of what an event deleted are part of it, so that they are applied at its
    ///   end, whatever ``propagatesDeletesAtEndOfEvent`` says.
    /// - What a child saves is one event of its parent, if that has an undo manager; the child may
    ///   have one of its own.
    ///
    /// Steps hold the objects that they are about. While there is an undo manager each first write
    /// of a property in an event is noted, and a change of an ordered to-many or of a pair reads
    /// the list that it changes. Another manager, or nil, forgets what is registered with this one.
    public var undoManager: (any UndoManaging)? {
        get { undoRecorder?.manager }
        set { setUndoManager(newValue) }
    }

    private func setUndoManager(_ manager: (any UndoManaging)?) {
        if undoRecorder?.manager === manager { return }
        if let undoRecorder { undoRecorder.manager.removeAllActions(withTarget: undoRecorder) }
        let recorder = manager.map { UndoRecorder(main.handle, $0) }
        undoRecorder = recorder
        for part in parts {
            if recorder == nil { part.endTellingWrites() } else { part.beginTellingWrites() }
        }
        if let recorder { (manager as? ContextUndoManager)?.attach(recorder) }
    }

    /// Takes the last group of changes back. Without an undo manager it does nothing.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` while a group is open; the store's error when
    ///   something that is needed cannot be read. Nothing is changed then.
    public func undo() throws {
        requireOwner()
        endUndoEvent()
        try undoManager?.undo()
    }

    /// Makes the changes again that were taken back last. Without an undo manager it does nothing.
    ///
    /// - Throws: As ``undo()``.
    public func redo() throws {
        requireOwner()
        endUndoEvent()
        try undoManager?.redo()
    }

    /// Makes what changed so far a step of its own.
    func endUndoEvent() { undoRecorder?.endEvent() }

    /// The same for the children too.
    func endUndoEvents() {
        endUndoEvent()
        main.forEachChild { $0.context.endUndoEvents() }
    }

    /// Whether ``endUndoEvents()`` may have something to do.
    var mustEndUndoEvents: Bool { undoRecorder != nil || !main.children.isEmpty }

    /// Forgets all steps.
    func forgetUndoSteps() {
        guard let undoRecorder else { return }
        undoRecorder.forgetEverything()
        undoRecorder.manager.removeAllActions()
    }
}

extension ManagedObjectContext {
    /// Runs a closure whose changes are not the application's.
    func withoutRecordingUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        try main.withoutRecordingUndo(body)
    }
}

extension ContextPart {
    /// Runs a closure whose changes are not the application's.
    @inline(__always)
    func withoutRecordingUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let undoRecorder else { return try body() }
        return try undoRecorder.suspended(body)
    }
}
