public import DuramenModel

/// A predicate that was checked against an entity and can be evaluated for rows, on any thread.
///
/// This is the reference: every store must return the results of this evaluation.
public struct BoundPredicate: Sendable {
    /// The entity of the rows that the predicate evaluates, with its sub-entities.
    public let entity: EntityID
    /// The condition as a closure on the row, its object's ID and its store; nil if it needs other
    /// rows.
    ///
    /// A scan that uses the closure directly saves the reference counting of each
    /// ``evaluate(_:id:in:)``.
    public let rowTest: (@Sendable (Row, ManagedObjectID, StoreHandle) -> Bool)?
    private let node: BoundNode
    private let variableCount: Int

    init(_ node: BoundNode, entity: EntityID, variableCount: Int) {
        self.node = node
        self.variableCount = variableCount
        self.entity = entity
        rowTest = node.rowTest
    }

    /// Whether the result depends only on the object's own row and ID.
    public var readsOneRow: Bool { rowTest != nil }

    /// Returns whether the predicate is true for an object.
    ///
    /// - Parameters:
    ///   - row: The object's values; its entity is the bound entity or a sub-entity of it.
    ///   - id: The object's ID, which may be temporary and need not be the ID of `row`.
    ///   - source: The source of related rows, with the model to which the predicate was bound.
    /// - Throws: The errors of `source`.
    @inlinable public func evaluate<Source: EvaluationSource>(
        _ row: Row, id: ManagedObjectID, in source: Source
    ) throws(Source.Failure) -> Bool {
        if let rowTest { return rowTest(row, id, source.store) }
        return try walk(row, id, source)
    }

    @usableFromInline func walk<Source: EvaluationSource>(
        _ row: Row, _ id: ManagedObjectID, _ source: Source
    ) throws(Source.Failure) -> Bool {
        var frame = [QueryValue](repeating: .null, count: variableCount)
        return try Evaluator(source).holds(node, row, id, &frame)
    }

    /// Returns the rows of a list for which the predicate is true. Evaluating many rows together is
    /// several times faster than row by row.
    ///
    /// - Parameters:
    ///   - rows: At most 64 rows.
    ///   - candidates: The rows to evaluate; bit *i* is `rows[i]`. Their entities are the bound
    ///     entity or sub-entities of it.
    ///   - source: The source of related rows, and the store of the rows themselves.
    /// - Returns: The candidates for which the predicate is true.
    /// - Throws: The errors of `source`.
    public func matches<Source: EvaluationSource>(
        _ rows: ContiguousArray<Row>, among candidates: UInt64 = .max, in source: Source
    ) throws(Source.Failure) -> UInt64 {
        precondition(rows.count <= 64, "Duramen: at most 64 rows are looked at together.")
        if rows.isEmpty { return 0 }
        let candidates = candidates & .max >> UInt64(64 - rows.count)
        // Sound: the pointer is used during the call only.
        return try rows.withUnsafeBufferPointer { rows throws(Source.Failure) in
            try Evaluator(source).matches(
                node, RowGroup(rows: rows, model: source.model, store: source.store), candidates,
                variableCount: variableCount)
        }
    }

    /// Returns the rows of a list for which the predicate is true, without copying them.
    ///
    /// - Parameters:
    ///   - rows: The rows. Their entities are the bound entity or sub-entities of it.
    ///   - source: The source of related rows, and the store of the rows themselves.
    /// - Returns: The rows for which the predicate is true; bit *i* is row *i*.
    /// - Throws: The errors of `source`.
    public func matches<Source: EvaluationSource>(
        _ rows: BorrowedRows, in source: Source
    ) throws(Source.Failure) -> UInt64 {
        // A single row is evaluated faster directly.
        if rows.count == 1 {
            let id = rows[0].objectID(in: source.model, store: source.store)
            return try evaluate(rows[0], id: id, in: source) ? 1 : 0
        }
        return try matches(rows.places, among: rows.all, in: source)
    }
}

extension FetchPredicate {
    /// Resolves the names and checks the types, once for any number of rows.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - model: The entity's model.
    /// - Throws: ``FetchPredicateError`` with the entity, the key path or comparison, and a remedy.
    public func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundPredicate {
        try lowered(for: entity, in: model).boundAsLowered(to: entity, in: model)
    }

    /// Binds a predicate that is lowered already; see ``bound(to:in:)``.
    package func boundAsLowered(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundPredicate {
        let binder = PredicateBinder(model: model, entity: entity, scope: VariableScope())
        let node = try binder.bind(self)
        return BoundPredicate(node, entity: entity.id, variableCount: binder.scope.count)
    }
}
