import DuramenModel

/// A context's permission to make an object; only contexts can make one.
public struct ManagedObjectRegistration {
    // Sound: made for one `init`, while the context keeps the plan, and the maker the block.
    let plan: Unmanaged<EntityPlan>
    /// The block that ``words`` points into.
    let storage: Unmanaged<RowStorage>?
    let key: Int64
    let words: UnsafeMutableRawPointer?
    let flags: ObjectFlags
    /// The context that the object is new in; nil for one that is stored.
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
