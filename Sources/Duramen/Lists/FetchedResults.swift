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
/// Observers are notified once per change, however many objects it concerns. To observe values of
/// the objects, see ``ManagedObjectContext/isObservable``.
public final class FetchedResults<Object: ManagedObject> {
    /// The controller of the results, for index paths and delegates.
    public let controller: FetchedResultsController<Object>
    private let registrar = ObservationRegistrar()
    private var lastError: (any Error)?

    /// Fetches results and follows their changes.
    ///
    /// - Parameters:
    ///   - request: A request with a sort descriptor.
    ///   - context: The context of the objects.
    ///   - sectionNameKeyPath: The attribute whose values name the sections; nil for none.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: The errors of ``FetchedResultsController/performFetch(isolation:)``.
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

    /// Fetches results and follows their changes; see ``init(_:in:sectionNameKeyPath:isolation:)``.
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

    /// Fetches results in sections and follows their changes.
    ///
    /// - Parameters:
    ///   - request: A request whose first sort descriptor is the attribute of the sections.
    ///   - context: The context of the objects.
    ///   - isolation: The isolation that the call runs in; leave it out.
    ///   - path: The attribute whose values name the sections, such as `{ $0.region.name }`.
    /// - Throws: The errors of ``FetchedResultsController/performFetch(isolation:)``.
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

    /// Follows the results of a controller, before or after its fetch.
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

    /// The sections, in order; empty before the first fetch.
    public var sections: [FetchedResultsSection<Object>] {
        registrar.access(self, keyPath: \.sections)
        return controller.sections ?? []
    }

    /// The error of the last update of the results; nil if it succeeded.
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

/// An observer that is notified when results change, without the changes.
struct ResultsObserver {
    let isThere: () -> Bool
    let willChange: () -> Void
    let didChange: ((any Error)?) -> Void
}
