import DuramenModel
import DuramenQuery
import DuramenStore

/// A cached list, for requests that match its key.
struct CachedList: Sendable {
    /// Everything that results depend on, except the model of the coordinator with the cache.
    struct Key: Sendable, Hashable {
        let query: StoreQuery
        let sectionPath: [String]?
        let stores: [StoreHandle]
        /// The states, in the order of the stores.
        let generations: [StoreGeneration]
    }

    let key: Key
    let list: LiveList
}

/// The access of a list to cached lists.
struct ListCache: Sendable {
    /// The cache name; nil for a list that is not cached.
    let name: StoredText?
    /// The query of the list.
    let query: StoreQuery
    let coordinator: PersistentStoreCoordinator

    /// Returns the cached list if it is valid; otherwise loads the list and caches it.
    ///
    /// - Parameters:
    ///   - queries: The queries of the list.
    ///   - read: Loads the list; gets the queries for one state of each store.
    func list(
        _ queries: ListQueries, read: (ListQueries) throws -> LiveList
    ) throws -> LiveList {
        let asked = try queries.ofOneState()
        guard let name, queries.dependOnStoresAlone else { return try read(asked) }
        let key = key(of: asked)
        if let known = coordinator.cachedLists.withLock({ $0[name] }), known.key == key {
            return known.list
        }
        let list = try read(asked)
        coordinator.cachedLists.withLock { $0[name] = CachedList(key: key, list: list) }
        ListCaches.record(coordinator)
        return list
    }

    private func key(of asked: ListQueries) -> CachedList.Key {
        var query = query
        query.cancellation = nil
        query.entity = asked.byPart.first?.query.query.entity ?? query.entity
        return CachedList.Key(
            query: query, sectionPath: asked.sectionPath,
            stores: asked.byPart.map(\.store.handle), generations: asked.generations)
    }
}

/// The coordinators with cached lists, for callers without a coordinator.
enum ListCaches {
    private struct Keeper {
        weak var coordinator: PersistentStoreCoordinator?
    }

    private static let keepers = Locked<[ObjectIdentifier: Keeper]>([:])

    static func record(_ coordinator: PersistentStoreCoordinator) {
        keepers.withLock { keepers in
            // A new coordinator may have the memory address of a released one.
            if keepers[ObjectIdentifier(coordinator)]?.coordinator === coordinator { return }
            keepers = keepers.filter { $0.value.coordinator != nil }
            keepers[ObjectIdentifier(coordinator)] = Keeper(coordinator: coordinator)
        }
    }

    static func delete(withName name: String?) {
        let coordinators = keepers.withLock { $0.values.compactMap(\.coordinator) }
        for coordinator in coordinators { coordinator.deleteFetchedResultsCache(withName: name) }
    }
}

extension FetchedResultsController {
    /// Deletes cached results with a name in all containers of the process; nil deletes all cached
    /// results.
    ///
    /// Cached results are never outdated, so this only frees memory. For a single container, see
    /// ``PersistentStoreCoordinator/deleteFetchedResultsCache(withName:)``.
    public static func deleteCache(withName name: String?) { ListCaches.delete(withName: name) }
}

// For calls that do not name the class.
extension FetchedResultsController<ManagedObject> {
    /// Deletes cached results of any class with a name in all containers of the process; nil
    /// deletes all.
    public static func deleteCache(withName name: String?) { ListCaches.delete(withName: name) }
}

extension PersistentStoreCoordinator {
    /// Deletes cached results with a name; nil deletes all cached results.
    ///
    /// Results of a ``FetchedResultsController`` with a cache name are cached in memory if they
    /// were fetched without unsaved changes. Controllers with this name and an equal request share
    /// them, without loading, until the next save. Cached results are never outdated, so deleting
    /// them only frees memory.
    public func deleteFetchedResultsCache(withName name: String?) {
        cachedLists.withLock { cached in
            if let name { cached[StoredText(name)] = nil } else { cached = [:] }
        }
    }
}
