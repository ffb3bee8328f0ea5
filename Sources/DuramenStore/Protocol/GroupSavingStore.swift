/// A store that writes several change sets in one transaction.
///
/// A commit costs most where it waits for a disk or a server. When several contexts of a process
/// save at once, the core passes their change sets to the store together, so that they share a
/// commit.
///
/// The store declares ``StoreCapabilities/groupSaves``, and adds a law to those of
/// ``PersistentStore``: a group has the outcome of its saves, made one after the other. The core
/// allocates keys of such a store without waiting for saves, so
/// ``PersistentStore/allocateKeys(_:for:)`` should not wait for a commit either.
public protocol GroupSavingStore: PersistentStore {
    /// Writes change sets that are independent saves, in their order.
    ///
    /// Each change set is written whole or not at all. It compares its base versions with the state
    /// that the change sets before it left, and its generation is later than theirs. A change set
    /// that conflicts, fails or is cancelled does not stop the others. An empty group writes
    /// nothing.
    ///
    /// - Parameter group: The change sets, with different identifiers.
    /// - Returns: The result or error of ``PersistentStore/save(_:)`` for each change set, in
    ///   the order of the group. When the commit was interrupted, `.unknownOutcome` for each change
    ///   set that it contains; ``PersistentStore/generation(ofSave:)`` resolves each.
    func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>]
}
