import DuramenModel

/// What a context knows of its container's stores.
struct StoresOfContext {
    /// Whether there is one store, which keeps every entity of the container's model: the frequent
    /// case.
    var hasOne = true
    /// How many changes of the container's stores are known.
    var changeCount = 0
    /// IDs of saved objects that objects of other stores lead to. References have room for a key
    /// only, so each has a temporary one here, which no store takes.
    var aliases: [Int64: ManagedObjectID] = [:]
}
