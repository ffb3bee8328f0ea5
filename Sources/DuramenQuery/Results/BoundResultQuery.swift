public import DuramenModel

/// A result query checked against an entity and ready to take rows, on any thread.
public final class BoundResultQuery: Sendable {
    /// The same query as stores are made for.
    ///
    /// Predicates and expressions are in the forms of ``FetchPredicate`` that stores know, with one
    /// name for each element of a composite. Each aggregate is a ``FetchExpression/function(_:_:)``
    /// with one argument; that of `count(SELF)` is ``FetchExpression/selfObject``.
    /// ``ResultQuery/having`` speaks of grouped key paths and aggregates only. A sort descriptor
    /// whose key path is one name may be that of a column.
    public let query: ResultQuery
    /// Whether there is one result for each group, rather than for each row.
    public let isGrouped: Bool

    /// What groups are told apart by; of results of rows, the columns and what else they are sorted
    /// by.
    let keys: [ResultKeyExpression]
    let aggregates: [ResultAggregate]
    let columns: [ResultPart]
    let having: FetchPredicate?
    let sortKeys: [ResultSortKey]
    /// Whether the columns are the keys, in their order.
    let showsKeys: Bool
    /// Where the keys are in a row; nil when not all are attributes of the object itself.
    private let slotsOfKeys: [SlotPlace]?

    private struct SlotPlace {
        let slot: Int
        let kind: SlotKind
    }

    /// The slots that are read of each row; nil for all.
    package let slots: SlotSet?

    init(
        _ query: ResultQuery, isGrouped: Bool, keys: [ResultKeyExpression],
        aggregates: [ResultAggregate], columns: [ResultPart], having: FetchPredicate?,
        sortKeys: [ResultSortKey], slots: SlotSet?
    ) {
        self.query = query
        self.isGrouped = isGrouped
        self.keys = keys
        self.aggregates = aggregates
        self.columns = columns
        self.having = having
        self.sortKeys = sortKeys
        let places = keys.compactMap { key in
            key.attribute.map { SlotPlace(slot: $0.slot, kind: $0.kind) }
        }
        slotsOfKeys = places.count == keys.count ? places : nil
        showsKeys =
            columns.count == keys.count
            && columns.indices.allSatisfy { place in
                if case .key(place) = columns[place] { true } else { false }
            }
        self.slots = slots
    }

    /// Whether results are in the order of the objects' IDs.
    package var isOrderedByID: Bool { !isGrouped && sortKeys.isEmpty }

    /// Whether the number of rows is all that the results depend on.
    package var readsCountOnly: Bool {
        isGrouped && keys.isEmpty && aggregates.allSatisfy { $0.operand == nil }
    }

    /// Reads what the results need of one row.
    package func record<Source: EvaluationSource>(
        of row: Row, id: ManagedObjectID, in source: Source
    ) throws(Source.Failure) -> ResultRecord {
        var record = ResultRecord(id: id)
        if let slotsOfKeys {
            record.keys = slotsOfKeys.map { row.value($0.slot, $0.kind) }
        } else {
            record.keys.reserveCapacity(keys.count)
            for key in keys {
                record.keys.append(try key.bound.value(of: row, id: id, in: source).scalar)
            }
        }
        record.operands.reserveCapacity(aggregates.count)
        for aggregate in aggregates {
            let value = try aggregate.operand?.value(of: row, id: id, in: source)
            record.operands.append(value ?? .value(.objectID(id)))
        }
        return record
    }
}

/// What a row gives to the results of a query.
package struct ResultRecord {
    let id: ManagedObjectID
    var keys: [StoredValue] = []
    var operands: [QueryValue] = []

    init(id: ManagedObjectID) { self.id = id }
}

/// An expression that groups are told apart by.
struct ResultKeyExpression: Sendable {
    /// What ``ResultPart/calculated(_:)`` calls the value.
    let variable: String
    let expression: FetchExpression
    let bound: BoundFetchExpression
    /// The attribute that the expression is, of the object itself; nil for every other expression.
    let attribute: Attribute?
    /// Whether law-equal values may have different forms, such as 1 and 1.0.
    let isCalculated: Bool
}

/// An aggregate function with its argument.
struct ResultAggregate: Sendable {
    /// What ``ResultPart/calculated(_:)`` calls the result.
    let variable: String
    let function: FetchFunction
    /// Nil for the object itself, which is never null.
    let operandExpression: FetchExpression?
    let operand: BoundFetchExpression?
}

/// Where a value of a result comes from.
enum ResultPart: Sendable {
    /// One of the keys.
    case key(Int)
    /// One of the aggregates.
    case aggregate(Int)
    /// Calculated from both, which are its variables.
    case calculated(FetchExpression)
}

/// One sort descriptor of a result query.
struct ResultSortKey: Sendable {
    let part: ResultPart
    let isAscending: Bool
    let options: PredicateComparison.Options
}

extension ResultQuery {
    /// Resolves the names and checks the types, once for any number of rows.
    ///
    /// - Parameter entity: The query's own, in `model`.
    /// - Throws: ``FetchPredicateError`` that names the entity, the column or key path, and a
    ///   remedy.
    public func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundResultQuery {
        var binder = ResultBinder(self, entity: entity, model: model)
        return try binder.bind()
    }
}
