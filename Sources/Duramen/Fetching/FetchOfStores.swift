import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch over several stores. Each store returns its own results in order. These are merged in
/// the same order, so that offset and limit apply to the final list.
struct FetchOfStores {
    /// A result and its sort keys.
    struct Result {
        let part: ContextPart
        let item: BoundSort.Item
        let keys: BoundSortKeys
    }

    let request: ErasedFetchRequest
    /// The parts of the context whose stores are queried.
    let parts: [ContextPart]

    /// Creates the fetch for a request.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, `.invalidRequest`.
    init(_ request: ErasedFetchRequest, in context: ManagedObjectContext) throws {
        // Here too, because there may be no store that checks its query.
        try request.checkWindow()
        self.request = request
        let model = context.persistentStoreCoordinator.managedObjectModel
        let entity = try request.entity(in: model)
        parts = context.openParts.filter { part in
            part.reading.generation.isRead && part.model.entity(for: entity.handle) != nil
                && request.affectedStores?.contains(part.handle.store) != false
        }
    }

    /// The single part that has all results; nil if there are several parts.
    var only: ContextPart? { parts.count == 1 ? parts[0] : nil }

    /// Returns the results in order, with offset and limit applied.
    func results() throws -> [Result] {
        var merged: [Result] = []
        for part in parts {
            let (own, order) = try part.results(widened)
            merged = merged.merging(own) { order.precedes($0.keys, $1.keys) }
        }
        let rest = merged.dropFirst(request.query.offset)
        return Array(request.query.limit.map { rest.prefix($0) } ?? rest)
    }

    /// Returns the number of results.
    func count() throws -> Int {
        var all = 0
        for part in parts { all += try part.count(widened) }
        let rest = max(0, all - request.query.offset)
        return request.query.limit.map { min($0, rest) } ?? rest
    }

    /// The request for each store, without an offset because the results of the others are not
    /// known.
    var widened: ErasedFetchRequest {
        var copy = request
        copy.query.offset = 0
        copy.query.limit = request.query.limit.flatMap { limit in
            let (end, isTooLarge) = limit.addingReportingOverflow(request.query.offset)
            return isTooLarge ? nil : end
        }
        return copy
    }
}

extension Array {
    /// Merges two ordered lists.
    func merging(_ other: [Element], by precedes: (Element, Element) -> Bool) -> [Element] {
        if isEmpty { return other }
        var merged: [Element] = []
        merged.reserveCapacity(count + other.count)
        var rest = other[...]
        for element in self {
            while let next = rest.first, precedes(next, element) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(element)
        }
        return merged + rest
    }
}

extension ContextPart {
    /// Returns the results of this part's store, unsaved changes included, and the bound order.
    fileprivate func results(
        _ request: ErasedFetchRequest
    ) throws -> ([FetchOfStores.Result], BoundSort) {
        let query = try storeQuery(request)
        if request.refreshes { try refreshChangedObjects(of: query.query) }
        let (pending, snapshot) = try beginFetch(request, query)
        do {
            let order = try query.boundOrder()
            let source = ContextSource(self, snapshot: snapshot)
            let items: [BoundSort.Item] =
                try pending?.items(by: order)
                ?? QueryExecution(query, on: store, in: snapshot).rows().map {
                    ($0, $0.objectID(in: model, store: handle.store))
                }
            let keys =
                try pending == nil
                ? order.keys(of: items, in: SnapshotSource(store, snapshot))
                : order.keys(of: items, in: source)
            let results = zip(items, keys).map { item, keys in
                FetchOfStores.Result(part: self, item: item, keys: keys)
            }
            return (results, order)
        } catch let error as FetchPredicateError {
            throw StoreError(error)
        }
    }
}
