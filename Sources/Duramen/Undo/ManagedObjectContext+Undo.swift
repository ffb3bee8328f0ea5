import DuramenModel

extension ManagedObjectContext {
    /// The undo manager for changes of this context. Nil, the default, turns undo off.
    ///
    /// The changes of an event are one step. Events end with a unit of work,
    /// ``processPendingChanges()`` or a save. An undo restores inserted, deleted and edited objects
    /// as they were before the event. This includes attributes, transient ones too, relationships
    /// and the order of to-manys. An undo is itself a change: it must be saved, and it calls
    /// ``ManagedObject/awake(fromSnapshotEvents:)``.
    ///
    /// - Saves: Steps stay undoable after a save. The undo is then a new, unsaved change: it
    ///   deletes a new object, or inserts a deleted one again. Unlike in Core Data, this is the
    ///   same object with the same ID.
    /// - References to deleted objects: After a deletion is saved, references that a `deny` or
    ///   `noAction` rule left are nil until the deletion is undone.
    /// - Other saves: Only properties that the step changed get their old values, as edits on top
    ///   of what others saved meanwhile. Other properties keep the values that others saved.
    ///   Objects that others deleted stay deleted, and no relationship refers to them again.
    /// - Clearing: ``rollback()``, ``reset()`` and the removal of a store discard all steps.
    /// - Not recorded: Merging, refreshing, merge policies, primitive values, changes of awake
    ///   hooks, and changes while registration is disabled.
    /// - Delete rules: The rules for objects deleted in an event are part of it. They are applied
    ///   at its end, whatever the value of ``propagatesDeletesAtEndOfEvent``.
    /// - Children: The save of a child is one event of its parent, if the parent has an undo
    ///   manager. The child can have its own.
    ///
    /// Steps retain their objects. With an undo manager, each first write of a property in an event
    /// is recorded. Changing an ordered to-many or a pair loads the list that it changes. Setting
    /// another manager, or nil, removes what is registered with this one.
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

    /// Undoes the last group of changes. Does nothing without an undo manager.
    ///
    /// - Throws: ``ContextError`` `.unbalancedUndo` while a group is open, or the store's error if
    ///   a needed object cannot be loaded. Nothing is changed then.
    public func undo() throws {
        requireOwner()
        endUndoEvent()
        try undoManager?.undo()
    }

    /// Redoes the changes that were undone last. Does nothing without an undo manager.
    ///
    /// - Throws: The errors of ``undo()``.
    public func redo() throws {
        requireOwner()
        endUndoEvent()
        try undoManager?.redo()
    }

    /// Ends the event: the changes so far become one step.
    func endUndoEvent() { undoRecorder?.endEvent() }

    /// Ends the event here and in the children.
    func endUndoEvents() {
        endUndoEvent()
        main.forEachChild { $0.context.endUndoEvents() }
    }

    /// Whether ``endUndoEvents()`` may have something to do.
    var mustEndUndoEvents: Bool { undoRecorder != nil || !main.children.isEmpty }

    /// Discards all steps.
    func forgetUndoSteps() {
        guard let undoRecorder else { return }
        undoRecorder.forgetEverything()
        undoRecorder.manager.removeAllActions()
    }
}

extension ManagedObjectContext {
    /// Runs a closure whose changes are not recorded for undo.
    func withoutRecordingUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        try main.withoutRecordingUndo(body)
    }
}

extension ContextPart {
    /// Runs a closure whose changes are not recorded for undo.
    @inline(__always)
    func withoutRecordingUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let undoRecorder else { return try body() }
        return try undoRecorder.suspended(body)
    }
}
