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

extension PersistentStoreCoordinator {
    /// Forgets results that were kept under a name, or all that were kept.
    ///
    /// Results of a ``FetchedResultsController`` with a cache name are kept in memory when they are fetched without
    /// unsaved changes. Others of that name that ask the same get them as long as nothing was saved since: without
    /// reading, and sharing the memory. What asks otherwise, or later, reads, so that nothing is ever out of date; this
    /// is for giving memory back.
    public func deleteFetchedResultsCache(withName name: String?) {
        cachedLists.withLock { cached in
            if let name { cached[StoredText(name)] = nil } else { cached = [:] }
        }
    }
}
