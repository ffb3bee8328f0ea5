public import DuramenModel
public import DuramenStore

/// Creates the stores for conformance cases.
///
/// ```swift
/// let fixture = StoreFixture { number in .memory() }
/// ```
public final class StoreFixture: Sendable {
    private struct Opened {
        // Retained, so that the number of a closed store is not reused.
        var store: any PersistentStore
        var description: PersistentStoreDescription
    }

    /// The size in bytes of the largest rows in the cases, 64 MiB by default.
    public let largeRowBytes: Int

    private let describe: @Sendable (Int) throws -> PersistentStoreDescription
    private let remove: @Sendable () -> Void
    private let opened = Locked<(stores: [Opened], count: Int)>(([], 0))

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - largeRowBytes: The size in bytes of the largest rows. Smaller rows make the cases
    ///     faster, such as under a sanitizer, but detect less.
    ///   - describe: Describes a location without a store; the number differs in each call.
    ///   - remove: Removes the files of the stores.
    public init(
        largeRowBytes: Int = 64 << 20,
        _ describe: @escaping @Sendable (Int) throws -> PersistentStoreDescription,
        cleanUp remove: @escaping @Sendable () -> Void = {}
    ) {
        self.largeRowBytes = largeRowBytes
        self.describe = describe
        self.remove = remove
    }

    /// Creates a new, empty store.
    public func open(_ model: ManagedObjectModel) throws -> any PersistentStore {
        let number = opened.withLock { state in
            state.count += 1
            return state.count
        }
        return try open(describe(number), model)
    }

    /// Closes a store that this fixture opened, and opens it again.
    public func reopen(_ store: any PersistentStore) throws -> any PersistentStore {
        try reopen(store, with: store.model) { $0 }
    }

    /// Closes a store that this fixture opened, and opens it with a model and a changed
    /// description.
    func reopen(
        _ store: any PersistentStore, with model: ManagedObjectModel,
        _ describe: (PersistentStoreDescription) -> PersistentStoreDescription
    ) throws -> any PersistentStore {
        let description = try requiredDescription(of: store)
        try store.close()
        return try open(describe(description), model)
    }

    /// Opens a store of this fixture a second time.
    func opened(again store: any PersistentStore) throws -> any PersistentStore {
        try open(requiredDescription(of: store), store.model)
    }

    private func requiredDescription(
        of store: any PersistentStore
    ) throws -> PersistentStoreDescription {
        guard let description = description(of: store) else {
            throw Difference("the store to open again is not of this fixture")
        }
        return description
    }

    /// Returns the description that a store was opened with, or nil for a store of another fixture.
    public func description(of store: any PersistentStore) -> PersistentStoreDescription? {
        opened.withLock { state in state.stores.first { $0.store === store }?.description }
    }

    /// Closes all stores and removes their files.
    public func cleanUp() {
        let stores = opened.withLock { state in
            defer { state.stores = [] }
            return state.stores
        }
        for opened in stores { try? opened.store.close() }
        remove()
    }

    private func open(
        _ description: PersistentStoreDescription, _ model: ManagedObjectModel
    ) throws -> any PersistentStore {
        let store = try description.open(model: model)
        opened.withLock { $0.stores.append(Opened(store: store, description: description)) }
        return store
    }
}
