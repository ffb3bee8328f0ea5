import DuramenModel

/// A token with which a context creates an object; only contexts can create one.
public struct ManagedObjectRegistration {
    // Sound: made for one `init`, while the context keeps the plan, and the maker the block.
    let plan: Unmanaged<EntityPlan>
    /// The block that contains ``words``.
    let storage: Unmanaged<RowStorage>?
    let key: Int64
    let words: UnsafeMutableRawPointer?
    let flags: ObjectFlags
    /// The context that the object is inserted into; nil for a stored object.
    // Sound: it makes the object.
    var newIn: Borrowed<ContextPart>?

    // Sound: as above.
    @inline(__always)
    init(
        plan: EntityPlan, key: Int64, storage: Unmanaged<RowStorage>? = nil,
        words: UnsafeMutableRawPointer? = nil, flags: ObjectFlags = []
    ) {
        self.plan = .passUnretained(plan)
        self.storage = storage
        self.key = key
        self.words = words
        self.flags = flags
    }
}
