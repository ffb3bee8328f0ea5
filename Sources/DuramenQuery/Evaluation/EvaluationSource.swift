public import DuramenModel

/// A source from which an evaluator loads the rows behind a key path.
///
/// A store's snapshot is one, and so is a context with its unsaved changes.
public protocol EvaluationSource {
    /// The error that reading may throw; `Never` if it cannot fail.
    associatedtype Failure: Error

    /// The model that the rows follow; the same that predicates are bound to.
    var model: ManagedObjectModel { get }

    /// The store that the rows come from.
    var store: StoreHandle { get }

    /// Reads the row of an object.
    ///
    /// - Returns: Nil when there is no such object, so that a reference to it dangles.
    func row(for id: ManagedObjectID) throws(Failure) -> Row?

    /// Reads where a to-many leads.
    ///
    /// - Returns: Every destination once, in any order; empty when `id` is unknown.
    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(Failure) -> [ManagedObjectID]
}
