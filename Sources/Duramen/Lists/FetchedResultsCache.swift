import DuramenModel
import DuramenQuery
import DuramenStore

/// What results were, for others that ask the same of the same state.
struct CachedList: Sendable {
    /// All that results depend on; the model is that of the coordinator that has the cache.
    struct Key: Sendable, Hashable {
        let query: StoreQuery
        let sectionPath: [String]?
        let stores: [StoreHandle]
        /// By store.
        let generations: [StoreGeneration]
    }

    let key: Key
    let list: LiveList
}

/// Where a list looks for what others have read, and leaves what it reads.
struct ListCache: Sendable {
    /// The name of what is kept; nil for a list that is not.
    let name: StoredText?
    /// What the list asks, whatever the state.
    let query: StoreQuery
    let coordinator: PersistentStoreCoordinator

    /// What is kept, where it is true, or what is read.
    ///
    /// - Parameter read: Is given the queries of one state.
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

/// The coordinators that keep results, for those who have no coordinator at hand.
enum ListCaches {
    private struct Keeper {
        weak var coordinator: PersistentStoreCoordinator?
    }

    private static let keepers = Locked<[ObjectIdentifier: Keeper]>([:])

    static func record(_ coordinator: PersistentStoreCoordinator) {
        keepers.withLock { keepers in
            // Another one may have had the room in memory.
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
    /// Forgets results that were kept under a name in any container of the process, or all for nil.
    ///
    /// Results are never out of date, so this is for giving memory back. For one container, see
    /// ``PersistentStoreCoordinator/deleteFetchedResultsCache(withName:)``.
    public static func deleteCache(withName name: String?) { ListCaches.delete(withName: name) }
}

// Where nothing names the class.
extension FetchedResultsController<ManagedObject> {
    /// Forgets results that were kept under a name in any container of the process, or all for nil;
    /// caches have no class.
    public static func deleteCache(withName name: String?) { ListCaches.delete(withName: name) }
}

extension PersistentStoreCoordinator {
    /// Forgets results that were kept under a name, or all that were kept.
    ///
    /// Results of a ``FetchedResultsController`` with a cache name are kept in memory when they are
    /// fetched without unsaved changes. Others of that name that ask the same get them as long as
    /// nothing was saved since: without reading, and sharing the memory. What asks otherwise, or
    /// later, reads, so that nothing is ever out of date; this is for giving memory back.
    public func deleteFetchedResultsCache(withName name: String?) {
        cachedLists.withLock { cached in
            if let name { cached[StoredText(name)] = nil } else { cached = [:] }
        }
    }
}
