import DuramenModel

/// What a context knows of its container's stores.
struct StoresOfContext {
    /// Whether there is one store, which keeps every entity of the container's model: the frequent
    /// case.
    var hasOne = true
    /// How many changes of the container's stores are known.
    var changeCount = 0
    /// IDs of saved objects by the temporary keys that objects of other stores refer to them with.
    /// A reference has room for a key only, so it cannot name a store. No store takes a temporary
    /// key, so a save refuses such a reference.
    var aliases: [Int64: ManagedObjectID] = [:]
}
