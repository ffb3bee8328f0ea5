import DuramenModel
public import Observation

/// Each property can be observed with `withObservationTracking` in a context whose
/// ``ManagedObjectContext/isObservable`` is set. Observers are notified of edits, and of values
/// that merging, refreshing and rolling back replace.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether properties of the context's objects can be observed with `withObservationTracking`.
    /// False by default. If true, each read of a property costs about 15 ns more, and the first
    /// read of an object 250 ns.
    public var isObservable: Bool {
        get { main.plans.first?.objectFlags.contains(.observed) ?? false }
        set { for part in parts { newValue ? part.beginObserving() : part.endObserving() } }
    }
}

extension ContextPart {
    /// Starts to report reads and writes of this part's objects.
    func beginObserving() {
        let told: ObjectFlags = [.observed, .tellsWrites]
        for plan in plans { plan.objectFlags = told }
        for table in tables { table.forEach { $0.flags.formUnion(told) } }
    }

    fileprivate func endObserving() {
        for plan in plans { plan.objectFlags = undoRecorder == nil ? [] : .tellsWrites }
        // The next write finds that there are no observers.
        for table in tables { table.forEach { $0.flags.remove(.observed) } }
    }

    /// Starts to report writes of this part's objects, but not reads.
    func beginTellingWrites() {
        for plan in plans { plan.objectFlags.insert(.tellsWrites) }
        for table in tables { table.forEach { $0.flags.insert(.tellsWrites) } }
    }

    /// Ends ``beginTellingWrites()``.
    func endTellingWrites() {
        for plan in plans where !plan.objectFlags.contains(.observed) { plan.objectFlags = [] }
    }
}

extension ManagedObject {
    // MARK: - Reads

    /// Reports a read of a slot.
    @usableFromInline @inline(never)
    final func tellRead(_ property: Int) {
        let isReported: Void? = withExtra { extra in
            // Sound: the extra keeps them.
            extra.borrowedObservers?.with { $0.access(self, property) }
        }
        guard isReported == nil else { return }
        let observers = ObjectObservers()
        ensureExtra().observers = observers
        observers.access(self, property)
    }

    /// Reports a read of a to-many, if reads are observed.
    @inline(__always)
    final func reportRead(toMany index: Int) {
        if flags.contains(.observed) { tellRead(PropertyNumbers.toManys + index) }
    }

    @inline(__always)
    final func reportRead(slot: Int) {
        if flags.contains(.observed) { tellRead(slot) }
    }

    @inline(__always)
    final func reportRead(transient index: Int) {
        if flags.contains(.observed) { tellRead(PropertyNumbers.transients + index) }
    }

    // MARK: - Writes

    /// Reports that a slot is about to be written.
    @usableFromInline @inline(never)
    final func tellWillWrite(_ property: Int) {
        extra?.observers?.willSet(self, property)
        recordWriteToIndexed()
        let context = plan.handle.livePart
        if !flags.contains(.observed), context?.undoRecorder == nil { flags.remove(.tellsWrites) }
        guard let context else { return }
        if flags.contains(.calledWillSave) { context.keepStateAtWillSave(of: self) }
        if let recorder = context.undoRecorder { recordUndo(ofWriteTo: property, recorder) }
        guard let events = context.events else { return }
        if property >= PropertyNumbers.toManys, property < PropertyNumbers.transients {
            events.recordMembers(of: self)
        } else {
            events.record(self)
        }
        context.scheduleTelling()
    }

    /// Makes the next fetch examine the object's values again, because one of them is about to
    /// change.
    @inline(__always) final func recordWriteToIndexed() {
        if flags.contains(.indexed) { plan.handle.livePart?.tracker.index?.recordWrite(to: self) }
    }

    private final func recordUndo(ofWriteTo property: Int, _ recorder: UndoRecorder) {
        if property >= PropertyNumbers.transients {
            recorder.recordTransient(of: self, at: property - PropertyNumbers.transients)
        } else if property >= PropertyNumbers.toManys {
            recorder.recordMembers(of: self, at: property - PropertyNumbers.toManys)
        } else {
            recorder.recordWrite(of: self, slot: property)
        }
    }

    /// Reports that a slot was written.
    @usableFromInline @inline(never)
    final func tellDidWrite(_ property: Int) {
        extra?.observers?.didSet(self, property)
    }

    /// Writes a slot, and reports this if writes are observed.
    @inline(__always)
    final func telling<Result>(slot: Int, _ body: () throws -> Result) rethrows -> Result {
        if !flags.contains(.tellsWrites) { return try body() }
        tellWillWrite(slot)
        defer { tellDidWrite(slot) }
        return try body()
    }

    /// Changes a to-many, and reports this if writes are observed.
    @inline(__always)
    final func telling<Result>(toMany index: Int, _ body: () throws -> Result) rethrows -> Result {
        try telling(slot: PropertyNumbers.toManys + index, body)
    }

    @inline(__always)
    final func telling<Result>(transient index: Int, _ body: () throws -> Result) rethrows -> Result
    {
        try telling(slot: PropertyNumbers.transients + index, body)
    }

    /// Updates the state of a to-many after a change by another save, and notifies observers.
    @inline(__always)
    final func tellingMerge(toMany relationship: Relationship, _ body: () -> Void) {
        guard flags.contains(.observed), let observers = extra?.observers,
            let index = plan.own(relationship)?.storage.toManyIndex
        else { return body() }
        observers.willSet(self, PropertyNumbers.toManys + index)
        body()
        observers.didSet(self, PropertyNumbers.toManys + index)
    }

    // MARK: - Replacing all values

    /// Replaces the values, and notifies observers of values that differ.
    @inline(__always)
    final func tellingReplacement(by row: @autoclosure () -> Row?, _ body: () -> Void) {
        guard flags.contains(.observed), let observers = extra?.observers else { return body() }
        tellReplacement(by: row(), observers, body)
    }

    @inline(never)
    private final func tellReplacement(
        by new: Row?, _ observers: ObjectObservers, _ body: () -> Void
    ) {
        var properties: [Int]
        if let row, let new {
            properties = row.differingSlots(from: new, plan.layout).slots
        } else {
            properties = Array(plan.layout.kinds.indices)
            properties += plan.toManys.indices.map { PropertyNumbers.toManys + $0 }
            properties += plan.entity.transientAttributes.map {
                PropertyNumbers.transients + $0.index
            }
        }
        for property in properties { observers.willSet(self, property) }
        body()
        for property in properties { observers.didSet(self, property) }
    }
}
