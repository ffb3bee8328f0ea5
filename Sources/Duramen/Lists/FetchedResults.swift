public import DuramenQuery
public import Observation

/// The results of a fetch request for views, observable by the Observation framework.
///
/// ```swift
/// let quakes = try FetchedResults(
///     FetchRequest<Quake>().sorted(by: \.time, .descending), in: container.viewContext)
/// // In a view's body:
/// ForEach(quakes.objects) { quake in Text(quake.code) }
/// ```
/// It is told once per change, whatever number of objects that is of. For the values of the objects
/// themselves, see ``ManagedObjectContext/isObservable``.
public final class FetchedResults<Object: ManagedObject> {
    /// The controller that keeps the results, for index paths and for delegates.
    public let controller: FetchedResultsController<Object>
    private let registrar = ObservationRegistrar()
    private var lastError: (any Error)?

    /// Fetches results, and follows them.
    ///
    /// - Parameters:
    ///   - request: Must have a sort descriptor.
    ///   - context: The context whose objects the results are.
    ///   - sectionNameKeyPath: The attribute whose values name the sections; nil for none.
    ///   - isolation: The owner of the context, filled in by the compiler.
    /// - Throws: As ``FetchedResultsController/performFetch(isolation:)``.
    public convenience init(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) throws {
        self.init(
            FetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: sectionNameKeyPath))
        try controller.performFetch(isolation: isolation)
    }

    /// Fetches results, and follows them; see ``init(_:in:sectionNameKeyPath:isolation:)``.
    ///
    /// The labels are those of ``FetchedResultsController``.
    public convenience init(
        fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
        sectionNameKeyPath: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchRequest, in: managedObjectContext, sectionNameKeyPath: sectionNameKeyPath,
            isolation: isolation)
    }

    /// Fetches results in sections, and follows them.
    ///
    /// - Parameters:
    ///   - request: Must have a sort descriptor, the first by the attribute of the sections.
    ///   - context: The context whose objects the results are.
    ///   - path: The attribute whose values name the sections, such as `{ $0.region.name }`.
    ///   - isolation: The owner of the context, filled in by the compiler.
    /// - Throws: As ``FetchedResultsController/performFetch(isolation:)``.
    public convenience init<Value: PredicateValue>(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext,
        isolation: isolated (any Actor)? = #isolation,
        sectionedBy path: (EntityPath<Object>) -> AttributePath<Value>
    ) throws {
        self.init(
            FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionedBy: path))
        try controller.performFetch(isolation: isolation)
    }

    /// Follows results that a controller fetches, or has fetched.
    public init(_ controller: FetchedResultsController<Object>) {
        self.controller = controller
        controller.observe(
            ResultsObserver(
                isThere: { [weak self] in self != nil },
                willChange: { [weak self] in self?.willChange() },
                didChange: { [weak self] error in self?.didChange(error) }))
    }

    /// The objects, in order; nil before the first fetch.
    public var objects: FetchedObjects<Object>? {
        registrar.access(self, keyPath: \.objects)
        return controller.fetchedObjects
    }

    /// The sections, in order; nil before the first fetch.
    public var sections: [FetchedResultsSection<Object>] {
        registrar.access(self, keyPath: \.sections)
        return controller.sections ?? []
    }

    /// Why the results could not be brought up to date; nil when they are.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return lastError
    }

    private func willChange() {
        registrar.willSet(self, keyPath: \.objects)
        registrar.willSet(self, keyPath: \.sections)
    }

    private func didChange(_ error: (any Error)?) {
        if error == nil {
            registrar.didSet(self, keyPath: \.objects)
            registrar.didSet(self, keyPath: \.sections)
        }
        if error != nil || lastError != nil {
            registrar.withMutation(of: self, keyPath: \.error) { lastError = error }
        }
    }
}

extension FetchedResults: Observable {}

@available(
    *, unavailable, message: "results belong to their context; take a snapshot from the controller"
)
extension FetchedResults: Sendable {}

/// Somebody who is told that results change, and not how.
struct ResultsObserver {
    let isThere: () -> Bool
    let willChange: () -> Void
    let didChange: ((any Error)?) -> Void
}
