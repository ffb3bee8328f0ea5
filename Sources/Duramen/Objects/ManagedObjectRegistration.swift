import DuramenModel

/// A context's permission to make an object; only contexts can make one.
public struct ManagedObjectRegistration {
    let plan: EntityPlan
    let key: Int64
    let storage: RowStorage?
    let words: UnsafeMutableRawPointer?
    let flags: ObjectFlags
}
