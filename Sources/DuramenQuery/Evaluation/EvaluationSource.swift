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

    /// Announces the rows that will be evaluated next, from the first one on, so that a source can
    /// read together what they refer to. Does nothing by default.
    ///
    /// - Parameter rows: Returns the rows in the order of their evaluation. It is called at most
    ///   once, when they are needed.
    func expect(_ rows: @escaping () -> [Row])

    /// Sets the index of the announced row that is evaluated now. Does nothing by default.
    func advance(to index: Int)
}

extension EvaluationSource {
    /// Does nothing: each row is read when it is requested.
    public func expect(_ rows: @escaping () -> [Row]) {}

    /// Does nothing.
    public func advance(to index: Int) {}
}
