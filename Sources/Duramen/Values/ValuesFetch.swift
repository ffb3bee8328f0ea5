import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch of values from the rows of one state of the store. No context takes part, nor do unsaved changes.
@usableFromInline struct ValuesFetch: Sendable {
    private let coordinator: PersistentStoreCoordinator
    private let query: StoreQuery
    /// What values that are read from the rows are of.
    let entity: Entity
    /// Whether the caller gave no flag, so that cancelling the task raises ours.
    private let followsTask: Bool

    /// - Throws: ``ContextError`` for a request that does not fit the model.
    @usableFromInline
    init(_ request: ErasedFetchRequest, _ coordinator: PersistentStoreCoordinator) throws {
        self.coordinator = coordinator
        let model = coordinator.managedObjectModel
        let entity = try Self.entity(of: request.objectClass, in: model)
        var query = request.query
        guard query.offset >= 0, query.limit ?? 0 >= 0 else {
            throw ContextError(
                .invalidRequest, "A fetch request has a negative offset or limit; give 0 or more.")
        }
        query.entity = entity.id
        if let name = request.entityName {
            query.entity = try Self.entity(named: name, below: entity, model).id
        }
        followsTask = query.cancellation == nil
        query.cancellation = query.cancellation ?? CancellationFlag()
        self.entity = entity
        self.query = query
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
                .unknownName, "The model has no entity '\(name)'. Correct the fetch request.")
        }
        if found.isKind(of: entity) { return found }
        throw ContextError(
            .invalidRequest,
            "Values of '\(entity.name)' cannot be read from rows of '\(name)', which is no sub-entity of "
                + "it. Correct the fetch request.")
    }

    /// Runs on a thread that may block, and stops when the task is cancelled.
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

    /// Hands on a reader for each result, in order.
    ///
    /// - Parameters:
    ///   - toManys: The numbers of the to-manys that the reader is asked for.
    ///   - allowsIncomplete: Whether rows that lack values are handed on as the others are.
    /// - Throws: The store's error, or ``ContextError`` for a row that lacks values.
    @usableFromInline
    func forEachRow(
        toManys: [Int], allowsIncomplete: Bool, _ body: (ValuesReader) -> Void
    ) throws {
        let store = coordinator.store
        let snapshot = try store.snapshot()
        let execution = try QueryExecution(query, on: store, in: snapshot)
        let walk = RowWalk(
            source: RowValuesSource(model: store.model, store: store.handle), entity: entity,
            toManys: toManys, snapshot: snapshot, allowsIncomplete: allowsIncomplete)
        guard execution.isStreaming else {
            let rows = try execution.rows()
            for start in stride(from: 0, to: rows.count, by: 512) {
                let part = rows[start..<min(start + 512, rows.count)]
                try walk.read(count: part.count, { part[start + $0].unsafeWords }, body)
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
}

/// Reads rows that came together.
private struct RowWalk {
    let source: RowValuesSource
    let entity: Entity
    let toManys: [Int]
    let snapshot: any StoreSnapshot
    let allowsIncomplete: Bool

    /// - Parameter words: The first slot of the row at a place, which the caller keeps.
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
            for place in 0..<count {
                source.place = place
                let words = words(place)
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
