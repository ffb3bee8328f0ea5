import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch of values from the rows of one state of each store, without a context and without
/// unsaved changes.
@usableFromInline struct ValuesFetch: Sendable {
    /// The stores to query, which contain the entity.
    private let connections: [StoreConnection]
    /// The query in the model of all stores.
    private let query: StoreQuery
    /// The entity whose rows are requested: the entity of the values, or a subentity.
    private let asked: Entity
    /// The entity of the values.
    let entity: Entity
    private let model: ManagedObjectModel
    /// Whether the request has no flag, so that cancelling the task raises the fetch's own.
    private let followsTask: Bool

    /// Creates the fetch for a request.
    ///
    /// - Throws: ``ContextError`` for a request that does not match the model.
    @usableFromInline
    init(_ request: ErasedFetchRequest, _ coordinator: PersistentStoreCoordinator) throws {
        let model = coordinator.managedObjectModel
        let entity = try Self.entity(of: request.objectClass, in: model)
        try request.checkWindow()
        var query = request.query
        let asked =
            try request.entityName.map { try Self.entity(named: $0, below: entity, model) }
            ?? entity
        self.asked = asked
        connections = coordinator.connections.filter { connection in
            connection.model.entity(for: asked.handle) != nil
                && request.affectedStores?.contains(connection.handle) != false
        }
        followsTask = query.cancellation == nil
        query.cancellation = query.cancellation ?? CancellationFlag()
        self.entity = entity
        self.query = query
        self.model = model
    }

    private static func entity(
        of objectClass: ManagedObject.Type, in model: ManagedObjectModel
    ) throws -> Entity {
        let found = model.entities.first { $0.managedObjectClass?.type == objectClass }
        if let found, objectClass != ManagedObject.self { return found }
        throw ContextError(
            .unknownName,
            "The model has no entity of class \(objectClass). Add the class to the model.")
    }

    private static func entity(
        named name: String, below entity: Entity, _ model: ManagedObjectModel
    ) throws -> Entity {
        guard let found = model.entity(named: name) else {
            throw ContextError(
                .unknownName,
                "The model has no entity '\(name)'. "
                    + NearestName.question(name, among: model.entities.map(\.name))
                    + "Correct the fetch request, or add the entity to the model.")
        }
        if found.isKind(of: entity) { return found }
        throw ContextError(
            .invalidRequest,
            "Values of '\(entity.name)' cannot be read from rows of '\(name)', which is not a sub-entity of "
                + "it. Correct the fetch request.")
    }

    /// Runs a closure on a thread that may block, and stops when the task is cancelled.
    @usableFromInline
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (ValuesFetch) throws -> Result
    ) async throws -> Result {
        try await withTaskCancellationHandler {
            try await offCooperativePool { try body(self) }
        } onCancel: {
            if followsTask { query.cancellation?.cancel() }
        }
    }

    /// Passes a reader for each result to a closure, in order.
    ///
    /// - Parameters:
    ///   - names: The stored properties that the closure reads; nil for all.
    ///   - toManys: The indices of the to-manys that the closure reads.
    ///   - allowsIncomplete: Whether rows with missing values are passed like the others.
    ///   - body: The closure.
    /// - Throws: The store's error, or ``ContextError`` for a row with missing values.
    @usableFromInline
    func forEachRow(
        of names: [String]? = nil, toManys: [Int], allowsIncomplete: Bool,
        _ body: (ValuesReader) -> Void
    ) throws {
        var query = query
        // Merging the rows of several stores may compare any slot.
        if connections.count == 1 {
            query.slots = names.map { SlotSet($0, of: asked, in: model) }
            query.needsVersions = false
        }
        let states = try connections.map { connection in
            try StoreState(
                connection.store, query, asked, entity, toManys: toManys,
                allowsIncomplete: allowsIncomplete)
        }
        if states.count == 1 { return try states[0].forEachRow(body) }
        try mergedRows(of: states).forEachRun { state, rows in
            try state.read(rows, body)
        }
    }

    /// Returns the rows of several stores in one order, with offset and limit applied.
    private func mergedRows(of states: [StoreState]) throws -> [MergedRow] {
        var merged: [MergedRow] = []
        for state in states {
            let (own, order) = try state.rows(upTo: query)
            merged = merged.merging(own) { order.precedes($0.keys, $1.keys) }
        }
        let rest = merged.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }
}

/// One store's part of a fetch: its newest state, and the reading of its rows.
private final class StoreState {
    private let store: any PersistentStore
    private let snapshot: any StoreSnapshot
    /// The query in the store's model.
    private let query: StoreQuery
    private let walk: ValuesWalk

    init(
        _ store: any PersistentStore, _ query: StoreQuery, _ asked: Entity, _ entity: Entity,
        toManys: [Int], allowsIncomplete: Bool
    ) throws {
        self.store = store
        let snapshot: any StoreSnapshot = try store.snapshot()
        self.snapshot = snapshot
        var query = query
        // A store with a configuration has its own model.
        query.entity = store.model.entity(for: asked.handle)?.id ?? asked.id
        self.query = query
        walk = ValuesWalk(
            source: RowValuesSource(model: store.model, store: store.handle),
            entity: store.model.entity(for: entity.handle) ?? entity, toManys: toManys,
            snapshot: snapshot, allowsIncomplete: allowsIncomplete)
    }

    /// Passes a reader for each result of this store to a closure.
    func forEachRow(_ body: (ValuesReader) -> Void) throws {
        let execution = try QueryExecution(query, on: store, in: snapshot)
        guard execution.isStreaming else {
            let rows = try execution.rows()
            for start in stride(from: 0, to: rows.count, by: 512) {
                try read(rows[start..<min(start + 512, rows.count)], body)
            }
            return
        }
        var failure: (any Error)?
        try execution.forEachBatch { batch in
            do {
                let storage = batch.storage
                try walk.read(count: batch.count, { UnsafeRawPointer(storage.words(of: $0)) }, body)
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
    }

    /// Passes a reader for each of some rows of this store to a closure.
    func read(_ rows: ArraySlice<Row>, _ body: (ValuesReader) -> Void) throws {
        let start = rows.startIndex
        try walk.read(count: rows.count, { rows[start + $0].unsafeWords }, body)
    }

    /// Returns the rows that a query over several stores may need, with their sort keys.
    func rows(upTo window: StoreQuery) throws -> ([MergedRow], BoundSort) {
        var widened = query
        widened.offset = 0
        widened.limit = window.limit.flatMap { limit in
            let (end, isTooLarge) = limit.addingReportingOverflow(window.offset)
            return isTooLarge ? nil : end
        }
        do {
            let lowered = try LoweredQuery(widened, in: store.model)
            let order = try lowered.boundOrder()
            let rows = try QueryExecution(lowered, on: store, in: snapshot).rows()
            let items = rows.map { ($0, $0.objectID(in: store.model, store: store.handle)) }
            let keys = try order.keys(of: items, in: SnapshotSource(store, snapshot))
            let merged = zip(rows, keys).map { MergedRow(state: self, row: $0, keys: $1) }
            return (merged, order)
        } catch let error as FetchPredicateError {
            throw StoreError(error)
        }
    }
}

/// A row of one of several stores, with its sort keys.
private struct MergedRow {
    let state: StoreState
    let row: Row
    let keys: BoundSortKeys
}

extension [MergedRow] {
    /// Passes consecutive rows of one store to a closure, at most 512 at a time.
    fileprivate func forEachRun(_ body: (StoreState, ArraySlice<Row>) throws -> Void) throws {
        var start = 0
        while start < count {
            let state = self[start].state
            let run = self[start...].prefix(512).prefix { $0.state === state }
            try body(state, run.map(\.row)[...])
            start += run.count
        }
    }
}

/// Reads a group of rows.
private struct ValuesWalk {
    let source: RowValuesSource
    let entity: Entity
    let toManys: [Int]
    let snapshot: any StoreSnapshot
    let allowsIncomplete: Bool

    /// Passes a reader for each row to a closure.
    ///
    /// - Parameters:
    ///   - count: The number of rows.
    ///   - words: Returns the first slot of the row at a position, which the caller retains.
    ///   - body: The closure.
    func read(
        count: Int, _ words: (Int) -> UnsafeRawPointer, _ body: (ValuesReader) -> Void
    ) throws {
        if !toManys.isEmpty {
            let ids = (0..<count).map { source.objectID(words($0)) }
            for index in toManys {
                source.toManys[index] = try members(entity.toManyRelationships[index], of: ids)
            }
        }
        try withExtendedLifetime(source) {
            for position in 0..<count {
                source.position = position
                let words = words(position)
                body(ValuesReader(words: words, source: source))
                if source.problem != nil { try handleProblem(of: source.objectID(words)) }
            }
        }
    }

    private func members(
        _ relationship: Relationship, of ids: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        if !relationship.isOrdered {
            return try snapshot.destinations(of: relationship.id, from: ids)
        }
        return try snapshot.orderedDestinations(of: relationship.id, from: ids)
            .map { $0.map(\.id) }
    }

    private func handleProblem(of id: ManagedObjectID) throws {
        guard let (kind, slot) = source.problem, !allowsIncomplete else {
            return source.forgetProblem()
        }
        let name = entity.attributes.first { $0.slot == slot }?.name ?? "slot \(slot)"
        switch kind {
        case .missing: throw ContextError.missingMandatoryValue(of: name, objectID: id)
        case .unrepresentable:
            throw ContextError.invalidStoredValue(of: name, objectID: id)
        }
    }
}

extension SlotSet {
    /// Creates the set of slots of stored properties in rows of an entity and its subentities.
    /// To-manys have no slots.
    fileprivate init(
        _ names: [String], of entity: Entity, in model: ManagedObjectModel
    ) {
        self.init()
        for name in names {
            if let composite = entity.composite(named: name) {
                composite.slots.forEach { insert($0) }
                continue
            }
            switch entity.property(named: name) {
            case .attribute(let attribute)?: insert(attribute.slot)
            case .relationship(let relationship)?:
                formUnion(entity.family.map { model[$0] }, of: relationship)
            case nil: break
            }
        }
    }
}
