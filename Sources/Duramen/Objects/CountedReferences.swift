import DuramenModel

/// References to a plan and to a block of rows, for objects to be made: counted at once, which costs as much as
/// counting one of each.
struct CountedReferences: ~Copyable {
    // Sound: it owns as many references to each as are left.
    private let plan: Unmanaged<EntityPlan>
    private let storage: Unmanaged<RowStorage>
    private var left: UInt32

    /// Counts references for so many objects.
    // Sound: the caller keeps the block until they are counted.
    init(_ plan: EntityPlan, _ storage: Unmanaged<RowStorage>, count: Int) {
        self.plan = .passUnretained(plan)
        self.storage = storage
        left = UInt32(clamping: count)
        retain(self.plan.toOpaque(), count: left)
        retain(self.storage.toOpaque(), count: left)
    }

    deinit {
        // Without any left, both may be gone already.
        if left == 0 { return }
        release(plan.toOpaque(), count: left)
        release(storage.toOpaque(), count: left)
    }

    /// Whether one of each is left to a block.
    // Sound: only its address is used.
    @inline(__always) func has(_ block: Unmanaged<RowStorage>) -> Bool {
        left > 0 && storage.toOpaque() == block.toOpaque()
    }

    /// A registration that hands one of each to the object; nil when none is left.
    @inline(__always)
    mutating func registration(
        key: Int64, words: UnsafeMutableRawPointer, flags: ObjectFlags
    ) -> ManagedObjectRegistration? {
        if left == 0 { return nil }
        left &-= 1
        return ManagedObjectRegistration(
            plan: plan, storage: storage, key: key, words: words, flags: flags, isCounted: true)
    }
}
