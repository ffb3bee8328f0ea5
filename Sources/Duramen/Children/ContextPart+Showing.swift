import DuramenModel
import DuramenQuery
import DuramenStore

// The part as its children see it, in a store's terms: rows, lists of IDs and query results.
extension ContextPart {
    /// An object as children see it.
    private enum Shown {
        case row(Row)
        /// The object as the store or the parent has it.
        case stored
        case nothing
    }

    private func shown(_ id: ManagedObjectID) -> Shown {
        guard let object = registeredHere(id) else { return isInReach(id) ? .stored : .nothing }
        if !object.isThere { return .nothing }
        guard object.words != nil, let row = rowWithPermanentKeys(of: object) else {
            return isInReach(id) ? .stored : .nothing
        }
        return .row(row)
    }

    /// Whether the store or the parent may have an object with this ID.
    private func isInReach(_ id: ManagedObjectID) -> Bool { id.key > 0 || parentPart != nil }

    /// Returns the present rows of objects, in the order of the IDs. Missing objects are left out.
    func shownRows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try requireStore()
        context.propagateDeletes()
        let ids = ids.map(currentID)
        var own: [ManagedObjectID: Row] = [:]
        var asked: [ManagedObjectID] = []
        for id in ids {
            switch shown(id) {
            case .row(let row): own[id] = row
            case .stored: asked.append(id)
            case .nothing: break
            }
        }
        let stored =
            asked.isEmpty
            ? .empty
            : try readSnapshot { snapshot throws(StoreError) in try snapshot.rows(for: asked) }
        if own.isEmpty { return stored }
        for row in stored { own[row.objectID(in: model, store: handle.store)] = row }
        return .copying(ids.compactMap { own[$0] }, model)
    }

    /// Returns the present destinations of a to-many, one list per source.
    func shownDestinations(
        of relationship: Relationship, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try requireStore()
        context.propagateDeletes()
        let sources = sources.map(currentID)
        let states = sources.map { registeredHere($0)?.toManyState(of: relationship) }
        let asked = zip(sources, states).filter { $1?.stored == nil && isInReach($0) }.map(\.0)
        var stored: [ManagedObjectID: [ManagedObjectID]] = [:]
        if !asked.isEmpty, relationship.isOrdered {
            let lists = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.orderedDestinations(of: relationship.id, from: asked)
            }
            for (id, list) in zip(asked, lists) {
                stored[id] = list.map(\.id)
                // Merges reorderings made here with the stored order.
                registeredHere(id)?.toManyState(of: relationship)?.load(list, in: self)
            }
        } else if !asked.isEmpty {
            let lists = try readSnapshot { snapshot throws(StoreError) in
                try snapshot.destinations(of: relationship.id, from: asked)
            }
            for (id, list) in zip(asked, lists) { stored[id] = list }
        }
        return zip(sources, states).map { id, state in
            let object = registeredHere(id)
            if object?.isThere == false { return [] }
            let known = state?.stored ?? stored[id] ?? []
            let list = object?.applyingEdits(to: known, of: relationship, in: self) ?? known
            return list.filter { registeredObject(for: $0)?.isThere ?? true }
        }
    }

    // MARK: - Queries

    /// Returns the rows of a query, unsaved changes included.
    func shownRows(_ query: LoweredQuery) throws(StoreError) -> any StoreCursor {
        try answering(query) { pending, execution in
            if pending == nil, execution.isStreaming,
                plans[query.query.entity.index].table.count == 0
            {
                // No object of the entity is registered here.
                return try currentSnapshot().cursor(execution.pushdown.prepared)
            }
            let rows = try pending?.items().map(\.row) ?? execution.rows()
            let own = rows.map { row in
                plans[row.entityID.index].table.find(row.key).flatMap(rowWithPermanentKeys) ?? row
            }
            return ParentCursor(own, model)
        }
    }

    /// Returns the IDs of a query's results, unsaved changes included.
    func shownObjectIDs(_ query: LoweredQuery) throws(StoreError) -> [ManagedObjectID] {
        try answering(query) { pending, execution in
            try pending?.items().map(\.id) ?? execution.objectIDs()
        }
    }

    /// Returns the number of a query's results, unsaved changes included.
    func shownCount(_ query: LoweredQuery) throws(StoreError) -> Int {
        try answering(query) { pending, execution in
            try pending?.items().count ?? execution.count()
        }
    }

    /// Runs a query on the newest state, as a fetch does.
    private func answering<Result>(
        _ query: LoweredQuery,
        _ body: (PendingFetch<ContextSource>?, QueryExecution) throws -> Result
    ) throws(StoreError) -> Result {
        try requireStore()
        do {
            context.propagateDeletes()
            reading.letGo()
            let current = try currentSnapshot()
            return try body(
                pendingFetch(query, in: current), QueryExecution(query, on: store, in: current))
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.invalidRequest, "\(error)")
        }
    }

    private func requireStore() throws(StoreError) {
        if isStoreRemoved {
            throw StoreError(.closed, "'\(connection.name)' was removed from its container.")
        }
    }
}

extension ManagedObject {
    /// Whether the object is not deleted, here or elsewhere.
    final var isThere: Bool {
        flags.isDisjoint(with: [.deleted, .gone, .deletedElsewhere])
    }
}
