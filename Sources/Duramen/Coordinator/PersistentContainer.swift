import Dispatch
public import DuramenModel
public import DuramenStore

/// A model, its stores and their contexts: the first object that a program creates.
///
/// ```swift
/// let container = try await PersistentContainer(
///     model: ManagedObjectModel(Quake.self), stores: [.sqlite("quakes.sqlite")])
/// ```
public final class PersistentContainer: Sendable {
    /// The container's name.
    public let name: String
    /// The model of all stores.
    public let managedObjectModel: ManagedObjectModel
    /// The coordinator that connects the contexts with the stores.
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The settings of contexts that are created without their own.
    public let defaultOptions: ContextOptions

    @MainActor private var madeViewContext: ManagedObjectContext?

    private init(
        name: String, coordinator: PersistentStoreCoordinator, defaultOptions: ContextOptions
    ) {
        self.name = name
        managedObjectModel = coordinator.managedObjectModel
        persistentStoreCoordinator = coordinator
        self.defaultOptions = defaultOptions
    }

    /// Opens a container without blocking the caller's thread.
    ///
    /// A store with an earlier version of the model is migrated, which may take long. If the task
    /// is cancelled, the call throws `.cancelled` and the store is unchanged. It throws
    /// `.incomplete` if other stores were already migrated.
    ///
    /// - Parameters:
    ///   - name: A name for descriptions.
    ///   - model: The model of all stores.
    ///   - stores: One or more descriptions. A new object goes to the first writable store that
    ///     contains its entity, unless it is assigned to another.
    ///   - defaultOptions: The settings of contexts that are created without their own.
    /// - Throws: ``StoreError`` if a store cannot be opened. ``ModelError`` `.classMismatch` if a
    ///   class and its entity differ. ``ContextError`` `.duplicateStore` if a store is given twice,
    ///   `.invalidRequest` if none is given. Stores that were opened before the error are closed.
    public convenience init(
        name: String = "Duramen", model: ManagedObjectModel, stores: [PersistentStoreDescription],
        defaultOptions: ContextOptions = ContextOptions()
    ) async throws {
        let cancellation = CancellationFlag()
        let stores = stores.map { $0.cancelling(with: cancellation) }
        let coordinator = try await withTaskCancellationHandler {
            try await offCooperativePool {
                try Self.openCoordinator(model: model, stores: stores)
            }
        } onCancel: {
            cancellation.cancel()
        }
        self.init(name: name, coordinator: coordinator, defaultOptions: defaultOptions)
    }

    /// Opens a container and blocks the thread meanwhile; see
    /// ``init(name:model:stores:defaultOptions:)``.
    public static func open(
        name: String = "Duramen", model: ManagedObjectModel, stores: [PersistentStoreDescription],
        defaultOptions: ContextOptions = ContextOptions()
    ) throws -> PersistentContainer {
        PersistentContainer(
            name: name, coordinator: try openCoordinator(model: model, stores: stores),
            defaultOptions: defaultOptions)
    }

    /// Opens a store with the model that it contains, without blocking the caller's thread.
    ///
    /// All objects are plain ``ManagedObject``s, whose properties are accessed by key. Stores of
    /// Duramen and of Core Data contain their models.
    /// - Parameters:
    ///   - name: A name for descriptions.
    ///   - store: The store's description.
    ///   - codableTypes: The types of transformable attributes by identifier; in a Core Data store,
    ///     by the class of the values. Values of other types are ``EncodedBytes`` or `Data`.
    ///   - transformers: The transformers for attributes that name one.
    ///   - defaultOptions: The settings of contexts that are created without their own.
    /// - Throws: ``StoreError`` `.modelMissing` if the store contains no model; otherwise the
    ///   errors of ``init(name:model:stores:defaultOptions:)``.
    public convenience init(
        name: String = "Duramen", modelOf store: PersistentStoreDescription,
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers(),
        defaultOptions: ContextOptions = ContextOptions()
    ) async throws {
        let coordinator = try await offCooperativePool {
            try Self.openCoordinator(
                model: Self.model(of: store, codableTypes, transformers), stores: [store])
        }
        self.init(name: name, coordinator: coordinator, defaultOptions: defaultOptions)
    }

    /// Opens a store with the model that it contains, and blocks the thread meanwhile; see
    /// ``init(name:modelOf:codableTypes:transformers:defaultOptions:)``.
    public static func open(
        name: String = "Duramen", modelOf store: PersistentStoreDescription,
        codableTypes: [CodableType] = [], transformers: ValueTransformers = ValueTransformers(),
        defaultOptions: ContextOptions = ContextOptions()
    ) throws -> PersistentContainer {
        try open(
            name: name, model: model(of: store, codableTypes, transformers), stores: [store],
            defaultOptions: defaultOptions)
    }

    private static func model(
        of store: PersistentStoreDescription, _ codableTypes: [CodableType],
        _ transformers: ValueTransformers
    ) throws -> ManagedObjectModel {
        try store.type.storedModel(
            of: store, codableTypes: codableTypes, transformers: transformers
        ).model
    }

    private static func openCoordinator(
        model: ManagedObjectModel, stores: [PersistentStoreDescription]
    ) throws -> PersistentStoreCoordinator {
        guard let first = stores.first else {
            throw ContextError(
                .invalidRequest, "A container needs a store; describe one, such as .memory().")
        }
        try model.checkClasses()
        try model.checkFormats()
        let pending = Set(try stores.checkMigrations(to: model).map { StoredText($0) })
        let coordinator = PersistentStoreCoordinator(
            model: model,
            StoreConnection(try first.open(model: model), description: first))
        for (index, description) in stores.enumerated().dropFirst() {
            do {
                try coordinator.addStore(description)
            } catch {
                try? coordinator.close()
                let locations = stores.map(\.location)
                func areMigrated(_ location: String) -> Bool {
                    pending.contains(StoredText(location))
                }
                let migrated = locations[..<index].filter(areMigrated)
                if migrated.isEmpty { throw error }
                throw incomplete(
                    description.location, error, migrated: migrated,
                    untouched: locations[(index + 1)...].filter(areMigrated))
            }
        }
        return coordinator
    }

    /// Returns the error for a store that could not be opened after others were migrated.
    private static func incomplete(
        _ location: String, _ error: any Error, migrated: [String], untouched: [String]
    ) -> StoreError {
        func list(_ locations: [String]) -> String {
            locations.map { "'\($0)'" }.joined(separator: ", ")
        }
        return StoreError(
            .incomplete,
            "'\(location)' was not opened, after \(list(migrated)) had been migrated: \(error)"
                + (untouched.isEmpty ? "" : " Not touched: \(list(untouched)).")
                + " Mend what is in the way and open them again; what was migrated stays so.")
    }

    // MARK: - Stores

    /// The stores, in the order in which they were added.
    public var stores: [StoreHandle] { persistentStoreCoordinator.stores }

    /// Returns the first store that was opened at a location, or nil if there is none.
    public func store(at location: String) -> StoreHandle? {
        persistentStoreCoordinator.store(at: location)
    }

    /// Opens an additional store without blocking the caller's thread; see
    /// ``PersistentStoreCoordinator/addStore(_:)``.
    @discardableResult
    public func addStore(_ description: PersistentStoreDescription) async throws -> StoreHandle {
        let coordinator = persistentStoreCoordinator
        return try await offCooperativePool { try coordinator.addStore(description) }
    }

    /// Closes and removes a store; see ``PersistentStoreCoordinator/removeStore(_:)``.
    public func removeStore(_ store: StoreHandle) throws {
        try persistentStoreCoordinator.removeStore(store)
    }

    /// Closes all stores. Do not use contexts of the container afterwards.
    public func close() throws { try persistentStoreCoordinator.close() }

    // MARK: - Contexts

    /// The main actor's context, used synchronously there.
    @MainActor public var viewContext: ManagedObjectContext {
        if let made = madeViewContext { return made }
        var options = defaultOptions
        options.name = options.name ?? "viewContext"
        let context = ManagedObjectContext(
            coordinator: persistentStoreCoordinator, options: options)
        context.attach(to: MainActor.shared)
        madeViewContext = context
        return context
    }

    /// Creates a context with its own queue, for longer work.
    public func newBackgroundContext(_ options: ContextOptions? = nil) -> BackgroundContext {
        BackgroundContext(
            coordinator: persistentStoreCoordinator, options: completed(options))
    }

    /// Creates a context for an actor of your own; see ``ManagedObjectContext/attach(to:)``.
    public func makeContext(_ options: ContextOptions? = nil) -> sending ManagedObjectContext {
        ManagedObjectContext(
            coordinator: persistentStoreCoordinator, options: completed(options))
    }

    /// Returns the options; adds the container's merge policy if they have none.
    private func completed(_ options: ContextOptions?) -> ContextOptions {
        guard var options else { return defaultOptions }
        options.mergePolicy = options.mergePolicy ?? defaultOptions.mergePolicy
        return options
    }

    /// Runs a closure with a temporary context of its own, and returns the closure's result.
    ///
    /// When the call returns or throws, contexts of the caller's isolation have merged the
    /// closure's saves. Objects cannot leave the closure; return values or object IDs. Unsaved
    /// changes are discarded.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation, filled in by the compiler.
    ///   - body: The work.
    public func performBackgroundTask<Result: Sendable, Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body: sending (ManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await newBackgroundContext().perform(isolation: isolation, body)
    }

    /// Runs a closure that starts to observe its context, and ignores the observer; see
    /// ``performBackgroundTask(isolation:_:)``.
    @_disfavoredOverload
    public func performBackgroundTask<Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body: sending (ManagedObjectContext) throws(Failure) -> ContextObserver
    ) async throws(Failure) {
        try await newBackgroundContext().perform(isolation: isolation, body)
    }

    /// Rejects a closure that awaits something.
    @available(
        *, unavailable,
        message:
            "the closure of performBackgroundTask cannot await; use newBackgroundContext().withContext instead"
    )
    public func performBackgroundTask<Result, Failure: Error>(
        isolation: (any Actor)? = #isolation,
        _ body: sending (ManagedObjectContext) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        fatalError()
    }
}

extension PersistentContainer: CustomReflectable {
    /// Shows the name and the stores. Reflection does not reach the contexts.
    public nonisolated var customMirror: Mirror {
        Mirror(
            self, children: ["name": name, "stores": stores], ancestorRepresentation: .suppressed)
    }
}

/// Runs blocking work on a thread that may block.
func offCooperativePool<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
    }
}
