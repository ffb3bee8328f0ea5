public import DuramenModel

/// A predicate checked against an entity and ready to be asked about rows, on any thread.
///
/// This is the reference: whatever a store answers by itself must be what this answers.
public struct BoundPredicate: Sendable {
    /// The entity whose rows, and whose sub-entities' rows, the predicate reads.
    public let entity: EntityID
    /// The condition as a closure on the row, its object's ID and its store; nil when other rows
    /// are read too.
    ///
    /// A scan that takes it out of the loop saves the reference counting of each
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

    /// Whether the answer depends on nothing but the object's own row and ID.
    public var readsOneRow: Bool { rowTest != nil }

    /// Whether the predicate is true of an object.
    ///
    /// - Parameters:
    ///   - row: The object's values; its entity is the bound one or a sub-entity of it.
    ///   - id: The object's ID, which `row` need not know (it may be temporary).
    ///   - source: Where related rows are read; of the model that the predicate was bound in.
    /// - Throws: What `source` throws.
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
    ///   - rows: At most 64.
    ///   - candidates: The rows to look at; bit *i* is `rows[i]`. Their entities are the bound one
    ///     or sub-entities of it.
    ///   - source: Where related rows are read, and the store of the rows themselves.
    /// - Returns: Those of the candidates for which it is true.
    /// - Throws: What `source` throws.
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

    /// Returns the rows of a list for which the predicate is true, looked at where they stand.
    ///
    /// - Parameters:
    ///   - rows: Their entities are the bound one or sub-entities of it.
    ///   - source: Where related rows are read, and the store of the rows themselves.
    /// - Returns: Bit *i* is row *i*.
    /// - Throws: What `source` throws.
    public func matches<Source: EvaluationSource>(
        _ rows: BorrowedRows, in source: Source
    ) throws(Source.Failure) -> UInt64 {
        // One row alone is asked sooner.
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
    /// - Throws: ``FetchPredicateError`` that names the entity, the key path or comparison, and a
    ///   remedy.
    public func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundPredicate {
        try lowered(for: entity, in: model).boundAsLowered(to: entity, in: model)
    }

    /// The same for a predicate that is lowered already.
    package func boundAsLowered(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundPredicate {
        let binder = PredicateBinder(model: model, entity: entity, scope: VariableScope())
        let node = try binder.bind(self)
        return BoundPredicate(node, entity: entity.id, variableCount: binder.scope.count)
    }
}
