/// Work with a context, as a value that a ``ManagedObjectContextOperation`` performs.
///
/// ```swift
/// struct Purge: ManagedObjectContextWork {
///     let limit: Double
///     func perform(in context: ManagedObjectContext) throws {
///         try context.execute(
///             BatchDeleteRequest(FetchRequest<Quake>().where { $0.magnitude < limit }))
///     }
/// }
/// queue.addOperation(ManagedObjectContextOperation(Purge(limit: 2), container: container))
/// ```
///
/// It is `Sendable`, so it cannot contain objects.
public protocol ManagedObjectContextWork: Sendable {
    /// Does the work, on the queue of the context. Remaining changes are saved afterwards.
    func perform(in context: ManagedObjectContext) throws
}
