import DuramenModel

/// The state of the container's stores as a context knows it.
struct StoresOfContext {
    /// Whether there is one store, which contains every entity of the container's model: the
    /// frequent case.
    var hasOne = true
    /// The number of changes to the container's stores that the context has handled.
    var changeCount = 0
    /// IDs of saved objects by the temporary keys that objects of other stores refer to them with.
    /// A reference has room for a key only, so it cannot name a store. No store accepts a temporary
    /// key, so a save rejects such a reference.
    var aliases: [Int64: ManagedObjectID] = [:]
}
