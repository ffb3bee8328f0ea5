public import DuramenModel

/// A source from which an evaluator loads the rows of a key path's objects.
///
/// A store's snapshot is a source, and so is a context with its unsaved changes.
public protocol EvaluationSource {
    /// The error of a load; `Never` if it cannot fail.
    associatedtype Failure: Error

    /// The model of the rows, to which predicates must be bound.
    var model: ManagedObjectModel { get }

    /// The store of the rows.
    var store: StoreHandle { get }

    /// Returns the row of an object.
    ///
    /// - Returns: Nil if the object does not exist, so that a reference to it dangles.
    func row(for id: ManagedObjectID) throws(Failure) -> Row?

    /// Returns the destinations of a to-many.
    ///
    /// - Returns: Every destination once, in any order; empty if `id` is unknown.
    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(Failure) -> [ManagedObjectID]
}
